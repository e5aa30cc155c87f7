package link

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"iemesh/api"
)

const (
	dialTime   = 3 * time.Second
	readyTime  = 5 * time.Second
	cancelTime = 2 * time.Second        // of one DELETE
	cancelWait = 400 * time.Millisecond // for the outcome after a cancel has arrived
)

// ClientOptions of [NewClient].
type ClientOptions struct {
	URL   string      // of the worker: https://host:port, or http:// on loopback
	Token string      // "" = none
	TLS   *tls.Config // as of ClientTLS; nil = the system's certificates
}

// Client is a worker that is reached over the network. Each operation is
// carried out at most once, whatever happens to the connections.
//
// Its own errors: WORKER_UNAVAILABLE, nothing was done; OUTCOME_UNKNOWN, an
// acting operation was sent and the worker that got it tells no more;
// UNAUTHORIZED; CANCELLED and TIMEOUT when ctx ended before anything was sent,
// or a reading operation did not answer the cancel.
type Client struct {
	base      string
	token     string
	transport *http.Transport
	http      *http.Client
	silence   time.Duration
	most      int64          // bytes of an answer
	instance  atomic.Value   // string: the process that answered last
	cancels   sync.WaitGroup // the DELETEs on their way
}

// NewClient makes a client without connecting yet.
func NewClient(opts ClientOptions) (*Client, error) {
	u, err := url.Parse(opts.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the worker's URL must be https://host:port, or http://127.0.0.1:port")
	case u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the worker's URL must have no user, path, query or fragment")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return nil, errors.New("the worker's URL must be https unless it is on loopback: tokens and typed text travel on it")
	}
	if opts.Token != "" {
		if err := checkToken(opts.Token); err != nil {
			return nil, fmt.Errorf("the worker's token: %w", err)
		}
	}
	config := opts.TLS
	if config == nil {
		config = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	dialer := &net.Dialer{Timeout: dialTime, KeepAliveConfig: net.KeepAliveConfig{
		Enable: true, Idle: 5 * time.Second, Interval: 3 * time.Second, Count: 3,
	}}
	c := &Client{base: u.Scheme + "://" + u.Host, token: opts.Token, silence: silence, most: maxReply}
	c.transport = &http.Transport{
		Proxy:               http.ProxyFromEnvironment, // which leaves loopback alone
		DialContext:         dialer.DialContext,
		TLSClientConfig:     config.Clone(),
		TLSHandshakeTimeout: dialTime,
		MaxIdleConnsPerHost: 32,
		IdleConnTimeout:     90 * time.Second,
		DisableCompression:  true,
	}
	c.http = &http.Client{
		Transport:     c.transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	c.instance.Store("")
	return c, nil
}

// Close waits for the cancels on their way, 4 seconds at most, and drops the
// idle connections. It does not end operations.
func (c *Client) Close() {
	c.cancels.Wait()
	c.transport.CloseIdleConnections()
}

// Do implements [api.Worker]. It returns at the latest a second after the end
// of the call's time limit or of ctx.
func (c *Client) Do(ctx context.Context, call *api.Call) (*api.Reply, error) {
	if err := checkID(call.ID); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ended(ctx)
	}
	q := c.question(ctx, call)
	run, stop := context.WithDeadline(context.WithoutCancel(ctx), q.deadline.Add(grace))
	defer stop()
	done := make(chan struct{})
	var reply *api.Reply
	var err error
	go func() {
		defer close(done)
		reply, err = q.ask(run)
	}()
	select {
	case <-done:
		return reply, err
	case <-ctx.Done():
	}

	if !q.touched.Load() {
		stop()
		<-done
		if !q.touched.Load() {
			return nil, ended(ctx)
		}
	}
	delivered := c.cancel(call.ID)
	limit := time.NewTimer(grace)
	defer limit.Stop()
	for {
		select {
		case <-delivered:
			delivered = nil
			limit.Reset(cancelWait)
			continue
		case <-limit.C:
			stop()
			<-done
		case <-done:
		}
		if q.answered {
			return reply, err
		}
		if q.sent && q.acts {
			return nil, outcomeUnknown(err)
		}
		return nil, ended(ctx)
	}
}

// known asks whether the worker takes our token: /readyz needs none. The
// request names no operation, so its answer is a refusal in any case.
func (c *Client) known(ctx context.Context) error {
	res, err := c.send(ctx, http.MethodGet, operationsPath+api.NewID(), nil, "")
	if err != nil {
		return unavailable(err)
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusUnauthorized {
		return unauthorized()
	}
	return nil
}

func unauthorized() error {
	return api.Errorf(api.Unauthorized, "The worker does not know the gateway's token. The operator has to look at --worker-token-file.")
}

// ended is the error of a call whose ctx ended before it had any effect.
func ended(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return api.Errorf(api.Timeout, "The time was over before the worker did anything.").Because(ctx.Err())
	}
	return api.Errorf(api.Cancelled, "Cancelled before it had any effect.").Because(ctx.Err())
}

func outcomeUnknown(cause error) error {
	return api.Errorf(api.OutcomeUnknown, "The worker went away during the operation, which may have happened. Look before you try again.").Because(cause)
}

// cancel sends the cancel of an operation, twice if need be. It outlives the
// call; the channel is closed when the worker has it, or cannot be told.
func (c *Client) cancel(id string) <-chan struct{} {
	delivered := make(chan struct{})
	c.cancels.Go(func() {
		defer close(delivered)
		for range 2 {
			ctx, stop := context.WithTimeout(context.Background(), cancelTime)
			res, err := c.send(ctx, http.MethodDelete, operationsPath+id, nil, "")
			if err == nil {
				_ = res.Body.Close()
			}
			stop()
			if err == nil && res.StatusCode == http.StatusNoContent {
				return
			}
		}
	})
	return delivered
}

// Alive asks whether the worker's process answers, and returns its clock, to the
// second; zero when it is not told. The error is a WORKER_UNAVAILABLE. It takes
// 5 seconds at most.
func (c *Client) Alive(ctx context.Context) (clock time.Time, err error) {
	ctx, stop := context.WithTimeout(ctx, readyTime)
	defer stop()
	res, err := c.send(ctx, http.MethodGet, "/healthz", nil, "")
	if err != nil {
		return clock, unavailable(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return clock, unavailable(fmt.Errorf("GET /healthz: HTTP status %d", res.StatusCode))
	}
	clock, _ = http.ParseTime(res.Header.Get("Date"))
	return clock, nil
}

// Ready asks whether the worker could serve a session. The error is a
// WORKER_UNAVAILABLE with the reasons that the worker gives: strings under
// "reasons" in its /readyz. It takes 5 seconds at most.
func (c *Client) Ready(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, readyTime)
	defer stop()
	res, err := c.send(ctx, http.MethodGet, "/readyz", nil, "")
	if err != nil {
		return unavailable(err)
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusOK {
		return c.known(ctx)
	}
	var state struct {
		Reasons []string `json:"reasons"`
	}
	cause := fmt.Errorf("GET /readyz: HTTP status %d", res.StatusCode)
	if json.NewDecoder(io.LimitReader(res.Body, maxBody)).Decode(&state) != nil || len(state.Reasons) == 0 {
		return unavailable(cause)
	}
	return api.Errorf(api.WorkerUnavailable, "The worker is not ready: %s", strings.Join(state.Reasons, "; ")).Because(cause)
}

func (c *Client) send(ctx context.Context, method, path string, body []byte, instance string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", jsonType)
	}
	if instance != "" {
		req.Header.Set(InstanceHeader, instance)
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	return c.http.Do(req)
}
