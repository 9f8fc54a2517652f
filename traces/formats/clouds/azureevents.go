package clouds

import (
	"time"

	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/formats/read"
)

// headerTime is the form of times in HTTP's headers (RFC 9110, section 5.6.7).
const headerTime = "Mon, 02 Jan 2006 15:04:05 GMT"

// azureEvents reads documents of Azure's Scheduled Events.
var azureEvents = formats.Format{
	Name: "azure-events",
	What: "JSON documents of Azure Scheduled Events, one or several in a file: warnings of preemptions; t is " +
		"NotBefore, the earliest instant of the preemption, for the document does not say when it was issued (30 " +
		"s before at least); other events are counted",
	Example: `{"DocumentIncarnation": 1, "Events": [{"EventId": "602d9444-d2cd-49c7-8624-8643e7171297", ` +
		`"EventStatus": "Scheduled", "EventType": "Preempt", ` +
		`"ResourceType": "VirtualMachine", "Resources": ["vm_0"], "NotBefore": "Tue, 09 Aug 2022 17:07:32 GMT"}]}`,
	Version:   1,
	Clock:     traces.ClockUTC,
	Semantics: traces.SemanticsUnknown,
	Recognise: func(s *read.Source) bool { return s.TopKey("DocumentIncarnation") },
	New:       func(b *formats.Builder) formats.Importer { return azureEventReader{b} },
}

// azureEventReader reads documents.
type azureEventReader struct{ *formats.Builder }

func (b azureEventReader) Read(s *read.Source) error {
	b.Notef("t is NotBefore: the warning came at least 30 s earlier, and when is not recorded")
	c := read.NewCursor(s)
	other := formats.Tally{}
	for !c.Done() {
		found := false
		err := c.Fields("a document", read.Fields{
			"Events":              read.Seen(&found, c.Each(func() error { return b.event(c, other) })),
			"DocumentIncarnation": c.Skip,
		}, b.Ignore)
		if err == nil && !found {
			err = c.Errorf("the document has no Events, expected Scheduled Events")
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

func (b azureEventReader) event(c *read.Cursor, other formats.Tally) error {
	var e scheduledEvent
	err := c.Fields("an event", read.Fields{
		"EventId": read.To(&e.id, c.Name), "EventType": read.To(&e.kind, c.Name),
		"NotBefore":   read.To(&e.notBefore, c.TextOf(traces.MaxName)),
		"Resources":   c.Names(&e.machines, "a resource"),
		"EventStatus": c.Skip, "ResourceType": c.Skip,
	}, b.Ignore)
	switch {
	case err != nil:
		return err
	case e.kind == "" || e.id == "":
		return c.Errorf("the event ends without EventType or EventId")
	case e.kind != "Preempt":
		other.Add(e.kind)
		return nil
	case e.notBefore == "": // it has begun
		other.Add("Preempt, begun")
		return nil
	}
	return b.addScheduled(c, &e)
}

func (b azureEventReader) addScheduled(c *read.Cursor, e *scheduledEvent) error {
	t, err := time.Parse(headerTime, e.notBefore)
	if err != nil || t.Format(headerTime) != e.notBefore { // the day of the week included
		return c.Errorf("NotBefore %s, expected RFC 1123, for instance Tue, 09 Aug 2022 17:07:32 GMT",
			read.Quote(e.notBefore))
	}
	us, err := traces.Instant(t)
	if err != nil {
		return c.Errorf("NotBefore %s %v", read.Quote(e.notBefore), err)
	}
	if len(e.machines) == 0 {
		return c.Errorf("the event ends without Resources")
	}
	for _, name := range e.machines {
		b.AddNotice(c, e.id+" "+name+" "+e.notBefore, traces.InstanceEventRow{
			T: us, PoolID: b.RegionPool("azure", "", ""), InstanceID: name, Kind: traces.KindNotice,
		})
	}
	return nil
}
