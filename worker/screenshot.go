package worker

import (
	"bytes"
	"context"
	"image/png"

	"iemesh/api"
)

var _ = bind(api.Screenshot, screenshot)

// screenshot takes the picture first and then asks where the page is: what the
// picture shows cannot be newer than the answer.
func screenshot(ctx context.Context, op *operation, _ api.Empty) (api.ScreenshotResult, error) {
	if err := op.session.bring(ctx, op.window); err != nil {
		return api.ScreenshotResult{}, err
	}
	data, err := op.session.driver.Screenshot(ctx)
	if err != nil {
		return api.ScreenshotResult{}, err
	}
	if !op.unrestricted() {
		if _, err := op.read(ctx); err != nil {
			return api.ScreenshotResult{}, err
		}
	}
	config, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return api.ScreenshotResult{}, api.Errorf(api.InternalError, "The browser gave no picture. Try again.").Because(err)
	}
	op.blobs = []api.Blob{{MediaType: "image/png", Data: data}}
	return api.ScreenshotResult{MimeType: "image/png", Width: config.Width, Height: config.Height, Bytes: len(data)}, nil
}
