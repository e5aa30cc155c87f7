package harness

import (
	"io"
	"net"
	"sync"
)

// Wire is a TCP proxy whose connections can be cut.
type Wire struct {
	Address string

	listener net.Listener
	to       string

	mu        sync.Mutex
	conns     map[net.Conn]bool
	refuse    int  // so many connections are closed as soon as they come
	cutAnswer bool // the next byte of an answer cuts its connection instead of passing
	cuts      int
}

// NewWire listens on loopback and passes connections on to address.
func NewWire(address string) (*Wire, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &Wire{Address: listener.Addr().String(), listener: listener, to: address, conns: map[net.Conn]bool{}}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go w.pass(conn)
		}
	}()
	return w, nil
}

// Close cuts every connection and takes no more.
func (w *Wire) Close() {
	w.listener.Close()
	w.Cut()
}

// Cut cuts every connection.
func (w *Wire) Cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for conn := range w.conns {
		conn.Close()
		w.cuts++
	}
	clear(w.conns)
}

// Refuse cuts every connection, and the next n as soon as they are opened.
func (w *Wire) Refuse(n int) {
	w.mu.Lock()
	w.refuse = n
	w.mu.Unlock()
	w.Cut()
}

// CutAnswer cuts the connection on which the next answer begins to arrive; that
// answer is lost.
func (w *Wire) CutAnswer() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cutAnswer = true
}

// Cuts is how many connections were cut so far.
func (w *Wire) Cuts() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cuts
}

func (w *Wire) pass(near net.Conn) {
	defer near.Close()
	w.mu.Lock()
	if w.refuse > 0 {
		w.refuse--
		w.cuts++
		w.mu.Unlock()
		return
	}
	w.mu.Unlock()
	far, err := net.Dial("tcp", w.to)
	if err != nil {
		return
	}
	defer far.Close()
	w.mu.Lock()
	w.conns[near] = true
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.conns, near)
		w.mu.Unlock()
	}()
	go func() {
		io.Copy(far, near)
		// As a broken network would: the far end is told nothing more than that.
		far.Close()
	}()
	buffer := make([]byte, 32<<10)
	for {
		n, err := far.Read(buffer)
		if n > 0 && w.loses() {
			return
		}
		if _, failed := near.Write(buffer[:n]); err != nil || failed != nil {
			return
		}
	}
}

func (w *Wire) loses() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	lost := w.cutAnswer
	if lost {
		w.cutAnswer = false
		w.cuts++
	}
	return lost
}
