package policies

// Unregister takes a policy from the list.
func Unregister(name string) { delete(registered, name) }
