#include "ccurl.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int ccurl_socket_progress(int socket, ccurl_socket_facts *facts) {
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length)) return 0;
    facts->since_received_ms = info.tcpi_last_data_recv;
    facts->since_acknowledged_ms = info.tcpi_last_ack_recv;
    facts->acknowledged = info.tcpi_bytes_acked;
    int unread = 0;
    if (ioctl(socket, SIOCINQ, &unread)) unread = 0;
    facts->read = info.tcpi_bytes_received - (uint64_t)unread;
    return 1;
}
