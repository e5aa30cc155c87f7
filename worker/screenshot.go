package worker

import (
	"bytes"
	"context"
	"errors"
	"image/png"

	"iemesh/api"
	"iemesh/api/origin"
	"iemesh/worker/driver"
)

var _ = bind(api.Screenshot, screenshot)

// screenshot takes a picture of a page that may be seen afterwards; where not
// everything may be, before it too.
func screenshot(ctx context.Context, op *operation, _ api.Empty) (api.ScreenshotResult, error) {
	if err := op.session.bring(ctx, op.window); err != nil {
		return api.ScreenshotResult{}, err
	}
	if !op.unrestricted() {
		if err := op.presentable(ctx); err != nil {
			return api.ScreenshotResult{}, err
		}
	}
	data, err := op.session.driver.Screenshot(ctx)
	if err != nil {
		return api.ScreenshotResult{}, err
	}
	if err := op.presentable(ctx); err != nil {
		return api.ScreenshotResult{}, err
	}
	if op.session.driver.Differs(driver.UncheckedParts) || !op.unrestricted() {
		_, err := op.read(ctx)
		e, _ := errors.AsType[*origin.Error](err)
		if err != nil && !(op.unrestricted() && e != nil && e.Reason == origin.ErrorPage) {
			return api.ScreenshotResult{}, err
		}
	}
	config, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return api.ScreenshotResult{}, api.Errorf(api.InternalError, "The browser gave no picture. Try again.").Because(err)
	}
	if op.session.driver.Differs(driver.BlackPictures) && black(data) {
		if err := op.worker.desktopFit(); err != nil {
			return api.ScreenshotResult{}, err
		}
		return api.ScreenshotResult{}, api.Errorf(api.UnsupportedByEngine, "The picture is black all over: this browser can only show the window or tab in front. Close those in front of it, or use inspect_page.")
	}
	op.blobs = []api.Blob{{MediaType: "image/png", Data: data}}
	return api.ScreenshotResult{MimeType: "image/png", Width: config.Width, Height: config.Height, Bytes: len(data)}, nil
}

// presentable asks the browser where the window and its frames are, without a
// WebDriver command; where it does not tell, the page is asked after the picture.
// The browser's own error pages may be seen, and so may blank ones.
func (op *operation) presentable(ctx context.Context) error {
	d := op.session.driver
	top, ok := d.Committed(ctx, op.window.handle)
	if !ok {
		return nil
	}
	if err := op.visible(top); err != nil && top != d.StartPage() {
		return err
	}
	if op.unrestricted() {
		return nil
	}
	frames, ok := d.Subframes(ctx, op.window.handle)
	if !ok {
		return api.Errorf(api.URLNotAllowed, "The browser does not tell now where the frames of this page come from. Wait until the page is ready, and try again.")
	}
	for _, href := range frames {
		// A frame of another scheme (data:, blob:) is its parent's work.
		if err := op.visible(href); err != nil && err.Reason != origin.Scheme {
			return err
		}
	}
	return nil
}

func (op *operation) visible(href string) *origin.Error {
	_, err := op.policy.Page(href, op.worker.own())
	e, ok := errors.AsType[*origin.Error](err)
	if !ok || e.Reason == origin.Blank || e.Reason == origin.ErrorPage {
		return nil
	}
	return e
}
