package worker

import (
	"net/http/httptest"
	"testing"

	"iemesh/api"
	"iemesh/api/apitest"
	"iemesh/api/link"
	"iemesh/worker/legacyapp"
)

func TestWorkerInProcess(t *testing.T) {
	apitest.Run(t, func(t *testing.T) api.Worker { return newWorker(t, 2) }, legacySite(t))
}

func TestWorkerOverHTTP(t *testing.T) {
	apitest.Run(t, func(t *testing.T) api.Worker {
		server := httptest.NewServer(link.NewHandler(newWorker(t, 2), link.Options{}))
		t.Cleanup(server.Close)
		client, err := link.NewClient(link.ClientOptions{URL: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(client.Close)
		return client
	}, legacySite(t))
}

func legacySite(t *testing.T) string {
	app := legacyapp.New()
	server := httptest.NewServer(app)
	t.Cleanup(server.Close)
	t.Cleanup(app.Close)
	return server.URL
}
