package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"iemesh/api"
)

// counted makes a call of an acting operation and counts its executions.
type counted struct {
	ledger *ledger
	runs   int
}

func (c *counted) ask(ctx context.Context, id, session, input string, took time.Duration) (*api.Reply, error) {
	call := &api.Call{ID: id, Operation: api.Click.Name, SessionID: session, Input: json.RawMessage(input)}
	return c.ledger.once(ctx, api.Click.Entry, call, func() (*api.Reply, error) {
		c.runs++
		time.Sleep(took)
		return &api.Reply{Result: json.RawMessage(fmt.Sprintf(`{"run":%d}`, c.runs))}, nil
	})
}

func TestLedgerRunsAnIDOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counted{ledger: newLedger()}
		answers := make(chan string, 3)
		for range 3 {
			go func() {
				reply, err := c.ask(t.Context(), "a", "s", `{}`, time.Second)
				answers <- fmt.Sprint(string(reply.Result), err)
			}()
		}
		for range 3 {
			if got := <-answers; got != `{"run":1}<nil>` {
				t.Error(got)
			}
		}
		if _, err := c.ask(t.Context(), "a", "s", `{"other":1}`, 0); code(err) != api.InvalidArgument {
			t.Errorf("same id, other input: %v", err)
		}
		time.Sleep(keepFor - time.Second)
		if reply, _ := c.ask(t.Context(), "a", "s", `{}`, 0); string(reply.Result) != `{"run":1}` {
			t.Errorf("kept outcome: %s", reply.Result)
		}
		time.Sleep(2 * time.Second)
		if reply, _ := c.ask(t.Context(), "a", "s", `{}`, 0); string(reply.Result) != `{"run":2}` {
			t.Errorf("after ten minutes: %s", reply.Result)
		}
	})
}

func TestLedgerIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counted{ledger: newLedger()}
		for i := range keepPerSession + 50 {
			c.ask(t.Context(), fmt.Sprint(i), "s", `{}`, 0)
		}
		if n := len(c.ledger.records); n > keepPerSession+1 {
			t.Errorf("%d outcomes kept", n)
		}
		large := func() (*api.Reply, error) {
			return &api.Reply{Result: json.RawMessage(`"` + strings.Repeat("x", keepBytes) + `"`)}, nil
		}
		call := &api.Call{ID: "large", Operation: api.Click.Name, SessionID: "s"}
		if reply, err := c.ledger.once(t.Context(), api.Click.Entry, call, large); err != nil || len(reply.Result) < keepBytes {
			t.Errorf("the first caller gets it whole: %v", err)
		}
		if _, err := c.ledger.once(t.Context(), api.Click.Entry, call, large); code(err) != api.OutcomeUnknown {
			t.Errorf("a repeat: %v", err)
		}
		time.Sleep(keepFor + time.Second)
		c.ledger.sweep()
		if len(c.ledger.records)+len(c.ledger.kept) != 0 {
			t.Error("old outcomes are kept")
		}
	})
}

func TestLedgerKeepsCallersApart(t *testing.T) {
	l := newLedger()
	ask := func(gateway, principal string) (string, error) {
		call := &api.Call{ID: "same", Operation: api.Click.Name, Caller: api.Caller{Gateway: gateway, Principal: principal}}
		reply, err := l.once(t.Context(), api.Click.Entry, call, func() (*api.Reply, error) {
			return &api.Reply{Result: json.RawMessage(gateway)}, nil
		})
		if err != nil {
			return "", err
		}
		return string(reply.Result), nil
	}
	for _, gateway := range []string{"a", "b"} {
		if got, err := ask(gateway, "alice"); err != nil || got != gateway {
			t.Errorf("%s got %s, %v", gateway, got, err)
		}
	}
	if _, err := ask("a", "bob"); code(err) != api.InvalidArgument {
		t.Errorf("somebody else's id: %v", err)
	}
}
