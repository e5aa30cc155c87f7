package worker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"sync"
	"time"

	"iemesh/api"
)

// How much the ledger remembers of finished acting operations.
const (
	keepFor        = 10 * time.Minute
	keepPerSession = 1000
	keepBytes      = 16 * 1024
)

// ledger makes an operation id name one execution. Who asks again while it
// runs joins it; who asks again for an acting operation gets its outcome. Reads
// may be run again, so theirs are not kept.
type ledger struct {
	mu      sync.Mutex
	records map[key]*record
	kept    map[string][]*record // finished acting operations by session, oldest first
}

// key keeps the ids of different gateways apart.
type key struct{ gateway, id string }

type record struct {
	key         key
	session     string
	fingerprint [sha256.Size]byte
	done        chan struct{}
	finished    time.Time
	reply       *api.Reply
	err         error
}

func newLedger() *ledger {
	return &ledger{records: map[key]*record{}, kept: map[string][]*record{}}
}

// once runs call by do, unless this id has been run or is running.
func (l *ledger) once(ctx context.Context, entry *api.Entry, call *api.Call, do func() (*api.Reply, error)) (*api.Reply, error) {
	r := &record{key: key{call.Caller.Gateway, call.ID}, session: call.SessionID, fingerprint: fingerprint(call), done: make(chan struct{})}
	l.mu.Lock()
	l.forget(r.session)
	if first, ok := l.records[r.key]; ok {
		l.mu.Unlock()
		return first.join(ctx, r.fingerprint)
	}
	l.records[r.key] = r
	l.mu.Unlock()

	var reply *api.Reply
	var err error = api.Errorf(api.OutcomeUnknown, "The operation broke off inside iemesh. Look at the page before doing it again.")
	defer func() { l.finish(entry, r, reply, err) }() // also when do panics
	reply, err = do()
	return reply, err
}

// finish keeps the outcome of an acting operation and lets go who waits for it.
func (l *ledger) finish(entry *api.Entry, r *record, reply *api.Reply, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.reply, r.err, r.finished = reply, err, time.Now()
	if reply != nil && entry.Effect == api.Act && len(reply.Result) > keepBytes {
		r.reply, r.err = nil, api.Errorf(api.OutcomeUnknown, "This operation was carried out, but its result was too large to keep. Look at the page.")
	}
	if entry.Effect == api.Act {
		l.kept[r.session] = append(l.kept[r.session], r)
	} else {
		delete(l.records, r.key)
	}
	close(r.done)
}

// join waits for the first execution of the same call.
func (r *record) join(ctx context.Context, fingerprint [sha256.Size]byte) (*api.Reply, error) {
	if r.fingerprint != fingerprint {
		return nil, api.Errorf(api.InvalidArgument, "This operation id was used for another call. Use a new id.")
	}
	select {
	case <-r.done:
	case <-ctx.Done():
	}
	select {
	case <-r.done: // also under an ended context: the outcome is known
		return r.reply, r.err
	default:
		return nil, api.Errorf(api.OutcomeUnknown, "The operation is still running.").Because(ctx.Err())
	}
}

// forget drops what is too old, or too much, of a session.
func (l *ledger) forget(session string) {
	list := l.kept[session]
	for len(list) > 0 && (len(list) > keepPerSession || time.Since(list[0].finished) > keepFor) {
		delete(l.records, list[0].key)
		list = list[1:]
	}
	if len(list) == 0 {
		delete(l.kept, session)
		return
	}
	l.kept[session] = list
}

// sweep forgets in every session.
func (l *ledger) sweep() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for session := range l.kept {
		l.forget(session)
	}
}

func fingerprint(call *api.Call) [sha256.Size]byte {
	return sha256.Sum256(bytes.Join([][]byte{[]byte(call.Caller.Principal), []byte(call.Operation), []byte(call.SessionID), []byte(call.PageID), call.Input}, []byte{0}))
}
