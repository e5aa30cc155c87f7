package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"testing"
	"time"
)

// Operations speaks the worker API with nothing but HTTP.
type Operations struct {
	Server *Server
	Token  string
}

// Outcome is the answer to one PUT.
type Outcome struct {
	Status int
	Body   []byte

	OperationID string         `json:"operationId"`
	Result      map[string]any `json:"result"`
	Error       struct {
		Code    string `json:"error"`
		Message string `json:"message"`
	} `json:"error"`
}

// Put asks for an operation under an id. Call has the fields of the request's
// body; what it leaves out is filled in: a principal, every origin, 10 s.
func (o Operations) Put(t testing.TB, id string, call Args) Outcome {
	t.Helper()
	status, answer, err := o.Try(id, call)
	if err != nil {
		t.Fatal(err)
	}
	outcome := Outcome{Status: status, Body: answer}
	if err := json.Unmarshal(answer, &outcome); err != nil {
		t.Fatalf("%v answered %d %q: %v", call["operation"], status, answer, err)
	}
	return outcome
}

// Try is Put of a worker that may die meanwhile: then it is an error.
func (o Operations) Try(id string, call Args) (status int, answer []byte, err error) {
	body := Args{
		"timeoutMs": 10_000,
		"caller":    Args{"principal": "local"},
		"policy":    Args{"origins": []string{"*"}},
		"input":     Args{},
	}
	for field, value := range call {
		body[field] = value
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	return o.send(http.MethodPut, "/v1/operations/"+id, encoded)
}

// Must is Put for an operation that must succeed.
func (o Operations) Must(t testing.TB, id string, call Args) Outcome {
	t.Helper()
	outcome := o.Put(t, id, call)
	if outcome.Status != http.StatusOK {
		t.Fatalf("%v: %d %s", call["operation"], outcome.Status, outcome.Body)
	}
	return outcome
}

// Cancel cancels an operation.
func (o Operations) Cancel(t testing.TB, id string) {
	t.Helper()
	if _, _, err := o.send(http.MethodDelete, "/v1/operations/"+id, nil); err != nil {
		t.Fatal(err)
	}
}

func (o Operations) send(method, path string, body []byte) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, o.Server.Base+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if o.Token != "" {
		request.Header.Set("Authorization", "Bearer "+o.Token)
	}
	response, err := o.Server.Client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	var answer bytes.Buffer
	_, err = answer.ReadFrom(response.Body)
	return response.StatusCode, answer.Bytes(), err
}

// Soon is how long a test waits for what should come at once.
const Soon = 5 * time.Second
