package mcpserver

import (
	"context"
	"math"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressEvery is the time between two progress notifications.
const progressEvery = time.Second

// notify sends progress by the clock, if the tool takes long and the client has
// asked for it. Stop returns when the last notification is out: none may follow
// the result. That the client does not read them is no fault of the call.
func notify(ctx context.Context, req *mcp.CallToolRequest, t *tool, deadline time.Time) (stop func()) {
	token := req.Params.GetProgressToken()
	if t.waits == "" || token == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	begin := time.Now()
	total := math.Ceil(time.Until(deadline).Seconds())
	go func() {
		defer close(done)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			passed := math.Round(time.Since(begin).Seconds())
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token, Progress: passed, Total: max(total, passed), Message: t.waits,
			})
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
