package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"iemesh/test/client"
)

type scene struct {
	title string
	steps []step
}

// step is a call and what its result must be.
type step struct {
	tool  string
	input object
	check func(ctx context.Context, result object) error
}

type object = map[string]any

func id(value string) object       { return object{"by": "id", "value": value} }
func linkText(value string) object { return object{"by": "linkText", "value": value} }

func scenes(app string) []scene {
	frame := object{"by": "name", "value": "mainFrame"}
	registration := rand.Text()
	return []scene{
		{"Searching a customer and opening the details", []step{
			{"browser_start", nil, is("status", "ready")},
			{"navigate", object{"url": app + "/customer"}, is("title", "顧客検索")},
			{"inspect_page", nil, says("支店")},
			{"type", object{"selector": id("customerName"), "text": "山田太郎"}, is("status", "ok")},
			{"select", object{"selector": id("branch"), "by": "text", "value": "東京支店"}, is("value", "13")},
			{"click", object{"selector": id("searchButton")}, done},
			{"wait_for", object{"type": "visible", "selector": id("resultTable")}, is("title", "顧客検索結果")},
			{"inspect_page", nil, says("1 件見つかりました")},
			{"read_table", object{"selector": id("resultTable")}, is("rowCount", 1)},
			{"click", object{"selector": linkText("山田太郎")}, done},
			{"wait_for", object{"type": "title", "text": "顧客詳細"}, is("title", "顧客詳細")},
			{"inspect_page", nil, says("東京都千代田区一番町一丁目1-1")},
			{"screenshot", nil, is("mimeType", "image/png")},
		}},
		{"Inside an iframe", []step{
			{"navigate", object{"url": app + "/customer"}, is("title", "顧客検索")},
			{"inspect_page", object{"frame": frame}, says("キーワード")},
			{"click", object{"frame": frame, "selector": id("searchButton")}, done},
			{"inspect_page", object{"frame": frame}, shows("clicked", "searchButton 1")},
		}},
		{"A popup, and back to the first window", []step{
			{"navigate", object{"url": app + "/popup"}, is("title", "顧客選択")},
			{"click", object{"selector": id("openPopup")}, done},
			{"switch_window", object{"target": "newest"}, is("title", "顧客詳細")},
			{"inspect_page", nil, says("C0001")},
			{"click", object{"selector": id("chooseButton")}, done},
			{"switch_window", object{"index": 0}, is("title", "顧客選択")},
			{"inspect_page", nil, shows("chosenCustomer", "山田太郎")},
		}},
		{"Registering, with a confirm box", []step{
			{"navigate", object{"url": app + "/register?token=" + registration}, is("title", "顧客登録")},
			{"type", object{"selector": id("customerName"), "text": "山田太郎"}, is("status", "ok")},
			{"click", object{"selector": id("registerButton")}, asks("登録しますか?")},
			{"handle_dialog", object{"action": "accept"}, is("message", "登録しますか?")},
			{"wait_for", object{"type": "text", "selector": id("message"), "text": "登録しました"}, is("title", "登録完了")},
			{"inspect_page", nil, says("登録回数: 1")},
			{"browser_close", nil, counted(app+"/register/count?token="+registration, "1")},
		}},
	}
}

// done is for a call whose effect the next steps show.
func done(context.Context, object) error { return nil }

func is(field string, want any) func(context.Context, object) error {
	return func(_ context.Context, result object) error {
		if got := result[field]; fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Errorf("%s is %v, not %v", field, got, want)
		}
		return nil
	}
}

// says is for a page whose text contains want.
func says(want string) func(context.Context, object) error {
	return func(_ context.Context, result object) error {
		text, _ := result["text"].(string)
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			return fmt.Errorf("the page does not say %q", want)
		}
		return nil
	}
}

// shows is for a page whose element of that id has a value that begins with want.
func shows(id, want string) func(context.Context, object) error {
	return func(_ context.Context, result object) error {
		elements, _ := result["elements"].([]any)
		for _, e := range elements {
			element, _ := e.(object)
			if value, _ := element["value"].(string); element["id"] == id && strings.HasPrefix(value, want) {
				return nil
			}
		}
		return fmt.Errorf("%s does not show %q", id, want)
	}
}

func asks(want string) func(context.Context, object) error {
	return func(_ context.Context, result object) error {
		dialog, _ := result["dialog"].(object)
		if dialog["message"] != want {
			return fmt.Errorf("no dialog asks %q", want)
		}
		return nil
	}
}

// counted is for what the application itself says at a URL.
func counted(url, want string) func(context.Context, object) error {
	return func(ctx context.Context, _ object) error {
		got, err := client.Get(ctx, url)
		if err == nil && got != want {
			err = fmt.Errorf("the application counted %s, not %s", got, want)
		}
		return err
	}
}
