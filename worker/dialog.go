package worker

import (
	"context"

	"iemesh/api"
	"iemesh/worker/driver"
)

var _ = bind(api.HandleDialog, handleDialog)

func handleDialog(ctx context.Context, op *operation, in api.HandleDialogInput) (api.HandleDialogResult, error) {
	d := op.session.driver
	if op.session.current != op.window {
		if err := op.session.bring(ctx, op.window); err != nil {
			return api.HandleDialogResult{}, err
		}
	}
	text, err := d.DialogText(ctx)
	if err != nil {
		return api.HandleDialogResult{}, err
	}
	result := api.HandleDialogResult{Message: op.permit(ctx, text), Action: in.Action}
	if in.Text != nil {
		switch err := d.SendDialogText(ctx, *in.Text); driver.KindOf(err) {
		case "":
		case driver.NotInteractable, driver.Unsupported:
			return api.HandleDialogResult{}, api.Errorf(api.InvalidArgument, "This dialog takes no text; leave text out.").Because(err)
		default:
			return api.HandleDialogResult{}, err
		}
	}
	answer := d.DismissDialog
	if in.Action == api.Accept {
		answer = d.AcceptDialog
	}
	done, err := op.acted(answer(ctx))
	if err != nil || !done {
		result.Loading = err == nil
		return result, err
	}
	result.PageState, err = op.state(ctx)
	return result, err
}
