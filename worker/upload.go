package worker

import (
	"context"

	"iemesh/api"
	"iemesh/worker/driver"
	"iemesh/worker/page"
)

var _ = bind(api.Upload, upload)

// maxUploaded is how much one session may put into its folder, where the files
// stay for as long as it lives: a browser reads them when the form is sent.
const maxUploaded = 256 << 20

func upload(ctx context.Context, op *operation, in api.UploadInput) (api.UploadResult, error) {
	content, err := in.Bytes()
	if err != nil {
		return api.UploadResult{}, err
	}
	if err := op.enter(ctx, in.Frame); err != nil {
		return api.UploadResult{}, err
	}
	s := op.session
	field, err := op.await(ctx, in.Target, func(ref page.Ref) (page.Found, error) {
		return page.FileField(ctx, s.driver, op.guard, in.Target, ref)
	})
	if err != nil {
		return api.UploadResult{}, err
	}
	if s.uploaded+len(content) > maxUploaded {
		return api.UploadResult{}, api.Errorf(api.LimitExceeded, "This session has uploaded %d MiB, which is all that it may. Start a new one.", s.uploaded>>20)
	}
	path, err := s.driver.PutFile(in.FileName, content)
	if err != nil {
		return api.UploadResult{}, api.Errorf(api.WorkerUnavailable, "The worker could not store the file; nothing was done.").Because(err)
	}
	s.uploaded += len(content)
	result := api.UploadResult{FileName: in.FileName, Bytes: len(content)}
	done, err := op.sendKeys(ctx, field, path)
	if driver.KindOf(err) == driver.InvalidArgument {
		return result, api.Errorf(api.InvalidArgument, "The browser does not take the file. Try a shorter fileName.").Because(err)
	}
	if err != nil || !done {
		result.Loading = err == nil
		return result, err
	}
	result.PageState, err = op.state(ctx)
	return result, err
}
