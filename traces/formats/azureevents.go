package formats

import (
	"net/http"
	"time"

	"github.com/marigram/marigram/traces"
)

// azureEvents reads documents of Azure's Scheduled Events.
var azureEvents = Format{
	Name: "azure-events",
	What: "JSON documents of Azure Scheduled Events, one or several in a file: warnings of preemptions; t is NotBefore, the earliest instant of the preemption, for the document does not say when it was issued (30 s before at least); other events are counted",
	Example: `{"DocumentIncarnation": 1, "Events": [{"EventId": "602d9444-d2cd-49c7-8624-8643e7171297", "EventStatus": "Scheduled", "EventType": "Preempt", ` +
		`"ResourceType": "VirtualMachine", "Resources": ["vm_0"], "NotBefore": "Tue, 09 Aug 2022 17:07:32 GMT"}]}`,
	Version:   1,
	Recognise: func(s *source) bool { return s.topKey("DocumentIncarnation") },
	New:       func(b *Builder) Importer { return azureEventReader{b} },
}

// azureEventReader reads documents.
type azureEventReader struct{ *Builder }

func (b azureEventReader) Read(s *source) error {
	b.Manifest.ClockKind, b.Manifest.Semantics = traces.ClockUTC, traces.SemanticsUnknown
	b.Notef("t is NotBefore: the warning came at least 30 s earlier, and when is not recorded")
	c := newCursor(s)
	other := tally{}
	for !c.done() {
		found := false
		err := c.object("a document", func(key string) error {
			switch key {
			case "Events":
				found = true
				return c.array(key, func() error { return b.event(c, other) })
			case "DocumentIncarnation":
				return c.skip(key)
			}
			b.Ignore(key)
			return c.skip(key)
		})
		if err == nil && !found {
			err = c.errorf("the document has no Events, expected Scheduled Events")
		}
		if err != nil {
			return err
		}
	}
	b.NoteCounts(s, "events that are no warning of a preemption, or no longer one", other)
	return nil
}

// scheduledEvent is what matters of an event.
type scheduledEvent struct {
	id, kind, notBefore string
	machines            []string
}

func (b azureEventReader) event(c *cursor, other tally) error {
	var e scheduledEvent
	err := c.object("an event", func(key string) (err error) {
		switch key {
		case "EventId":
			e.id, err = c.name(key)
		case "EventType":
			e.kind, err = c.name(key)
		case "NotBefore":
			e.notBefore, err = c.text(key, traces.MaxName)
		case "Resources":
			return c.array(key, func() error {
				name, err := c.name("a resource")
				e.machines = append(e.machines, name)
				return err
			})
		case "EventStatus", "ResourceType":
			return c.skip(key)
		default:
			b.Ignore(key)
			err = c.skip(key)
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case e.kind == "" || e.id == "":
		return c.errorf("the event ends without EventType or EventId")
	case e.kind != "Preempt":
		other.add(e.kind)
		return nil
	case e.notBefore == "": // it has begun
		other.add("Preempt, begun")
		return nil
	}
	return b.addScheduled(c, &e)
}

func (b azureEventReader) addScheduled(c *cursor, e *scheduledEvent) error {
	t, err := time.Parse(http.TimeFormat, e.notBefore)
	if err != nil || t.Format(http.TimeFormat) != e.notBefore { // the day of the week included
		return c.errorf("NotBefore %s, expected RFC 1123, for instance Tue, 09 Aug 2022 17:07:32 GMT", quote(e.notBefore))
	}
	us, err := traces.Instant(t)
	if err != nil {
		return c.errorf("NotBefore %s %v", quote(e.notBefore), err)
	}
	if len(e.machines) == 0 {
		return c.errorf("the event ends without Resources")
	}
	for _, name := range e.machines {
		b.AddNotice(c, e.id+" "+name+" "+e.notBefore, traces.InstanceEventRow{
			T: us, PoolID: b.RegionPool("azure", "", ""), InstanceID: name, Kind: traces.KindNotice,
		})
	}
	return nil
}
