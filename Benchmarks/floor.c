// floor TRANSFERS FILE [CERTIFICATES | once]: the least that a program over libcurl can do. A line of FILE is a URL, a path, and for a
// POST its body and perhaps another field, with tabs between. One thread writes each file with open, write and close. With `once` no
// connection is used twice.
#include <curl/curl.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct transfer { char *line, *path; int file; struct curl_slist *fields; };

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    struct transfer *transfer = context;
    if (!transfer->file) transfer->file = open(transfer->path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    return write(transfer->file, bytes, size * count) < 0 ? 0 : size * count;
}

static int begin(CURLM *multi, CURL *easy, FILE *list, const char *certificates) {
    struct transfer *transfer = calloc(1, sizeof *transfer);
    size_t capacity = 0;
    if (getline(&transfer->line, &capacity, list) < 0) return 0;
    transfer->line[strcspn(transfer->line, "\n")] = 0;
    char *rest = transfer->line, *url = strsep(&rest, "\t");
    transfer->path = strsep(&rest, "\t");
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    int once = certificates && !strcmp(certificates, "once");
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, (long)once);
    if (certificates && !once) curl_easy_setopt(easy, CURLOPT_CAINFO, certificates);
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, (long)!strncmp(url, "https:", 6));
    if (rest) {
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, strsep(&rest, "\t"));
        transfer->fields = curl_slist_append(rest ? curl_slist_append(NULL, rest) : NULL, "Content-Type: application/json");
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->fields);
    }
    return !curl_multi_add_handle(multi, easy);
}

int main(int count, char **arguments) {
    CURLM *multi = curl_multi_init();
    FILE *list = count > 2 ? fopen(arguments[2], "r") : NULL;
    if (!list) return 2;
    struct transfer *transfer;
    int running = 0, left, failed = 0;
    while (running < atoi(arguments[1]) && begin(multi, curl_easy_init(), list, arguments[3])) running++;
    while (running > 0) {
        curl_multi_perform(multi, &left);
        for (CURLMsg *end; (end = curl_multi_info_read(multi, &left));) {
            CURL *easy = end->easy_handle;
            failed |= end->data.result != CURLE_OK;
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
            if (transfer->file) close(transfer->file);
            curl_multi_remove_handle(multi, easy);
            curl_slist_free_all(transfer->fields), free(transfer->line), free(transfer);
            if (!begin(multi, easy, list, arguments[3])) running--;
        }
        curl_multi_poll(multi, NULL, 0, running > 0 ? 1000 : 0, NULL);
    }
    return failed;
}
