package config

import (
	"io"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"iemesh/api"
)

// NewLogger makes the logger of a program: a JSON object per line, with "level"
// in lower case and the message as "event" (left out when empty, as in audit
// lines). Durations become integer "…Ms". Level is debug, info, warn or error.
func NewLogger(w io.Writer, level string) *slog.Logger {
	var least slog.Level
	if least.UnmarshalText([]byte(level)) != nil {
		least = slog.LevelInfo
	}
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: least, ReplaceAttr: shape}))
}

func shape(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 {
		switch a.Key {
		case slog.LevelKey:
			a.Value = slog.StringValue(strings.ToLower(a.Value.String()))
			return a
		case slog.MessageKey:
			if a.Value.String() == "" {
				return slog.Attr{}
			}
			a.Key = "event"
			return a
		}
	}
	switch v := a.Value.Any().(type) {
	case time.Duration:
		a.Value = slog.Int64Value(v.Milliseconds())
		if !strings.HasSuffix(a.Key, "Ms") {
			a.Key += "Ms"
		}
	case *url.URL:
		a.Value = slog.StringValue(api.LoggedURL(v.String()))
	}
	return a
}
