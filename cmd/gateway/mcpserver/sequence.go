package mcpserver

import (
	"context"
	"sync"
)

// sequence lets calls act one at a time, in the order in which they joined.
type sequence struct {
	mu      sync.Mutex
	acting  int // more than one only while something overtakes
	waiting []*turn
}

// turn is one call's position in a sequence.
type turn struct {
	seq    *sequence
	came   chan struct{} // closed when the call may act
	acting bool
	left   bool
}

// join takes the last position. An overtaking call does not wait, and whatever
// waits then waits for it too.
func (s *sequence) join(overtake bool) *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &turn{seq: s, came: make(chan struct{})}
	if overtake {
		s.start(t)
		return t
	}
	s.waiting = append(s.waiting, t)
	s.advance()
	return t
}

func (s *sequence) start(t *turn) {
	s.acting++
	t.acting = true
	close(t.came)
}

func (s *sequence) advance() {
	if s.acting > 0 || len(s.waiting) == 0 {
		return
	}
	next := s.waiting[0]
	s.waiting = s.waiting[1:]
	s.start(next)
}

// idle reports whether nobody acts or waits.
func (s *sequence) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.acting == 0 && len(s.waiting) == 0
}

// wait returns nil when the call may act, and the error of ctx if that ends
// first. The caller leaves in either case.
func (t *turn) wait(ctx context.Context) error {
	select {
	case <-t.came:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// leave gives the position up, acting or not. It may be called again.
func (t *turn) leave() {
	s := t.seq
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.left {
		return
	}
	t.left = true
	if t.acting {
		s.acting--
	} else {
		for i, w := range s.waiting {
			if w == t {
				s.waiting = append(s.waiting[:i:i], s.waiting[i+1:]...)
				break
			}
		}
	}
	s.advance()
}
