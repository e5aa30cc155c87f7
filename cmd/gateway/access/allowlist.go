package access

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"iemesh/api"
	"iemesh/api/origin"
)

// allowlist checks the places that a call wants to visit, and puts the policy
// into every call for the guard beside the browser. What goes on is the
// canonical form, which all browsers read alike.
func allowlist(next api.Worker, policy origin.Policy, own origin.Own) api.Worker {
	carried := api.Policy{Origins: policy.Entries()}
	return api.WorkerFunc(func(ctx context.Context, call *api.Call) (*api.Reply, error) {
		checked := *call
		checked.Policy = carried
		if entry, err := api.Lookup(call.Operation); err == nil && entry.Visits {
			if checked.Input, err = visit(call.Input, policy, own); err != nil {
				return nil, err
			}
		}
		return next.Do(ctx, &checked)
	})
}

// visit returns input with its "url" checked and made canonical. An input
// without one visits nothing.
func visit(input json.RawMessage, policy origin.Policy, own origin.Own) (json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if len(input) == 0 {
		return input, nil
	}
	if err := json.Unmarshal(input, &fields); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "The input is not a JSON object.").Because(err)
	}
	// Decoders take a field's name in any case, and so would the worker's.
	for name := range fields {
		if name != "url" && strings.EqualFold(name, "url") {
			return nil, api.Errorf(api.InvalidArgument, "Write url in lower case.")
		}
	}
	if fields["url"] == nil {
		return input, nil
	}
	var raw string
	if err := json.Unmarshal(fields["url"], &raw); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "url must be a string.").Because(err)
	}
	decision, err := policy.Visit(raw, own)
	if err != nil {
		return nil, refusal(err)
	}
	if fields["url"], err = json.Marshal(decision.URL); err != nil {
		return nil, api.AsError(err)
	}
	checked, err := json.Marshal(fields)
	if err != nil {
		return nil, api.AsError(err)
	}
	return checked, nil
}

func refusal(err error) error {
	refused, ok := errors.AsType[*origin.Error](err)
	if !ok {
		return api.AsError(err)
	}
	code := api.URLNotAllowed
	if refused.Reason == origin.NotAbsolute {
		code = api.InvalidArgument
	}
	e := api.Errorf(code, "url: %s.", refused)
	e.Reason = string(refused.Reason)
	return e
}
