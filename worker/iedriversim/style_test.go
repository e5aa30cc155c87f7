package main

import "testing"

func TestStyle(t *testing.T) {
	got, err := styled(map[string]any{"value": map[string]any{
		"b": map[string]any{}, "a": []any{}, "list": []any{1, "é\"\\\n\x7f\U00020000</", map[string]any{"x": nil}, []int{2}}, "object": map[string]any{"t": true, "f": 0.1},
	}})
	const want = "{\n\t\"value\" : \n\t{\n\t\t\"a\" : [],\n\t\t\"b\" : {},\n\t\t\"list\" : \n\t\t[\n\t\t\t1,\n\t\t\t\"\\u00e9\\\"\\\\\\n\x7f\\ud840\\udc00</\",\n" +
		"\t\t\t{\n\t\t\t\t\"x\" : null\n\t\t\t},\n\t\t\t[\n\t\t\t\t2\n\t\t\t]\n\t\t],\n\t\t\"object\" : \n\t\t{\n\t\t\t\"f\" : 0.10000000000000001,\n\t\t\t\"t\" : true\n\t\t}\n\t}\n}"
	if err != nil || string(got) != want {
		t.Errorf("%s\nwant %s %v", got, want, err)
	}
}
