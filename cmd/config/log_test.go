package config

import (
	"log/slog"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestLogLines(t *testing.T) {
	var out strings.Builder
	log := NewLogger(&out, "info")
	log.Debug("unseen")
	log.Info("started", "transport", "stdio")
	log.Error("", "tool", "click", "durationMs", 5012)
	log.Warn("slow", "took", 1500*time.Millisecond, slog.Duration("waitMs", time.Second),
		"address", &url.URL{Scheme: "http", Host: "legacy01.local", Path: "/customer", RawQuery: "name=secret"})
	const want = `{"level":"info","event":"started","transport":"stdio"}
{"level":"error","tool":"click","durationMs":5012}
{"level":"warn","event":"slow","tookMs":1500,"waitMs":1000,"address":"http://legacy01.local/customer"}
`
	got := regexp.MustCompile(`"time":"[^"]+",`).ReplaceAllString(out.String(), "")
	if got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}
