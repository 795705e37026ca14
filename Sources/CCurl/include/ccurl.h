#ifndef CCURL_H
#define CCURL_H
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#endif
