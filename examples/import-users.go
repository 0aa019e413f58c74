// Imports a file of users over the bulk stream, and signs one of them in. Needs Go 1.21 and no modules.
//
//	export USER_IMPORT_API_KEY=…     # a key with the rights import and signin
//	go run import-users.go users.ndjson ada@example.com < password.txt
//
// The file has one user a line, as `user-import convert` writes them (docs/bulk-import.md). Run it again after an
// interruption: it continues, because the id of the import is made of the file.
package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

type verdict struct {
	Line    int
	Status  string
	Code    string
	Summary *struct{ Lines, Created, Failed int }
}

// A redirect would send the key and the password to another address.
var client = http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// post sends a body of any length and returns the answer, which may begin before the body ends.
func post(path, contentType string, body io.Reader) *http.Response {
	url := os.Getenv("USER_IMPORT_URL")
	if url == "" {
		url = "http://localhost:3567"
	}
	request, err := http.NewRequest("POST", url+path, body)
	check(err)
	request.Header.Set("api-key", os.Getenv("USER_IMPORT_API_KEY"))
	request.Header.Set("content-type", contentType)
	response, err := client.Do(request)
	check(err)
	if response.StatusCode != http.StatusOK {
		reason, _ := io.ReadAll(response.Body)
		log.Fatalf("%s %s", response.Status, reason)
	}
	return response
}

// importFile returns the summary of the import, and prints the lines that failed.
func importFile(path string) verdict {
	file, err := os.Open(path)
	check(err)
	digest := sha256.New()
	_, err = io.Copy(digest, file)
	check(err)
	_, err = file.Seek(0, io.SeekStart)
	check(err)
	id := fmt.Sprintf("go-%x", digest.Sum(nil)[:10])
	response := post("/bulk-import/stream?importId="+id, "application/x-ndjson", file)
	defer response.Body.Close()
	var last verdict
	for lines := json.NewDecoder(response.Body); ; {
		var next verdict
		err := lines.Decode(&next)
		if err == io.EOF {
			break
		}
		check(err)
		if next.Status == "FAILED" {
			log.Printf("line %d: %s", next.Line, next.Code)
		}
		last = next
	}
	if last.Summary == nil {
		log.Fatal("The import was interrupted: run this again.")
	}
	return last
}

func signIn(email, password string) string {
	body, err := json.Marshal(map[string]string{"email": email, "password": password})
	check(err)
	response := post("/recipe/signin", "application/json", bytes.NewReader(body))
	defer response.Body.Close()
	var answer verdict
	check(json.NewDecoder(response.Body).Decode(&answer))
	return answer.Status
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("Usage: go run import-users.go FILE ADDRESS < password.txt")
	}
	summary := importFile(os.Args[1]).Summary
	fmt.Printf("%d lines: %d created, %d failed\n", summary.Lines, summary.Created, summary.Failed)
	password, err := bufio.NewReader(os.Stdin).ReadString('\n')
	check(err)
	fmt.Println("sign-in:", signIn(os.Args[2], strings.TrimSuffix(password, "\n")))
}
