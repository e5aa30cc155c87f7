package link

import "time"

const (
	tombstoneLife = 10 * time.Minute
	maxTombstones = 4096
)

// tombstones remembers operations that were cancelled: they may come only now,
// or again.
type tombstones struct {
	at    map[grave]time.Time
	order []grave // oldest first
}

type grave struct{ gateway, id string }

func (t *tombstones) add(g grave) {
	if t.has(g) {
		return
	}
	if t.at == nil {
		t.at = map[grave]time.Time{}
	}
	for len(t.order) >= maxTombstones || len(t.order) > 0 && t.stale(t.order[0]) {
		delete(t.at, t.order[0])
		t.order = t.order[1:]
	}
	t.at[g] = time.Now()
	t.order = append(t.order, g)
}

func (t *tombstones) has(g grave) bool {
	_, ok := t.at[g]
	return ok && !t.stale(g)
}

func (t *tombstones) stale(g grave) bool { return time.Since(t.at[g]) > tombstoneLife }
