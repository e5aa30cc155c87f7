package worker

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"iemesh/api"
)

func TestQueueLetsOneInAtATimeInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queue
		var order []int
		var wait sync.WaitGroup
		leave, err := q.enter(t.Context(), false)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			wait.Go(func() {
				leave, err := q.enter(t.Context(), i == 10 || i == 15)
				if err != nil {
					t.Error(err)
					return
				}
				order = append(order, i) // the queue is the lock: the race detector tells if it is none
				time.Sleep(time.Second)
				leave()
			})
			synctest.Wait()
		}
		leave()
		wait.Wait()
		want := []int{10, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 16, 17, 18, 19}
		if !slices.Equal(order, want) {
			t.Errorf("order %v, want %v", order, want)
		}
		if !q.idle() {
			t.Error("the queue is not idle at the end")
		}
	})
}

func TestQueueReleasesWaitersWhoseTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queue
		leave, _ := q.enter(t.Context(), false)
		late, cancelLate := context.WithTimeout(t.Context(), time.Second)
		defer cancelLate()
		start := time.Now()
		_, err := q.enter(late, false)
		if code(err) != api.Timeout || time.Since(start) != time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := q.enter(gone, false); code(err) != api.Cancelled {
			t.Errorf("cancelled: %v", err)
		}
		leave()
		if !q.idle() {
			t.Error("those who gave up still hold the queue")
		}
	})
}

func TestQueueThatClosesRefusesWaitersAndLaterOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queue
		leave, _ := q.enter(t.Context(), false)
		refused := make(chan error, 1)
		go func() { _, err := q.enter(t.Context(), false); refused <- err }()
		synctest.Wait()
		q.close(api.Errorf(api.SessionClosing, "closing"))
		if err := <-refused; code(err) != api.SessionClosing {
			t.Errorf("waiter: %v", err)
		}
		leave()
		if _, err := q.enter(t.Context(), true); code(err) != api.SessionClosing {
			t.Errorf("later: %v", err)
		}
	})
}

func TestQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queue
		ctx, cancel := context.WithCancel(t.Context())
		leave, _ := q.enter(ctx, false)
		for range maxWaiting {
			go q.enter(ctx, false)
		}
		synctest.Wait()
		if _, err := q.enter(ctx, false); code(err) != api.LimitExceeded {
			t.Errorf("one more: %v", err)
		}
		cancel()
		synctest.Wait()
		leave()
	})
}

func code(err error) api.Code {
	if e, ok := errors.AsType[*api.Error](err); ok {
		return e.Code
	}
	return ""
}
