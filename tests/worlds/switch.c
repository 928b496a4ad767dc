/* An Ethernet switch in user space with delayed links. Creates an interface eth0 in each network namespace,
 * and forwards frames after the delay. Prints "ready" on standard output when the interfaces exist.
 * Needs Linux and root.
 *
 * usage: switch MICROSECONDS NAMESPACE... */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { PORTS = 65, FRAMES = 4096, FRAME_BYTES = 9100, ADDRESS = 6, EVERYBODY = -1 };

struct frame {
    long long due; /* ns */
    int to;        /* port, or EVERYBODY */
    size_t length;
    char bytes[FRAME_BYTES];
};

/* Frames that a port has received wait in a ring. They leave in order, because all have the same delay. */
struct port {
    int device;
    char address[ADDRESS]; /* source address of the last frame */
    struct frame *frames;
    unsigned first, last;
};

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void require(int holds, const char *what)
{
    if (holds)
        return;
    perror(what);
    exit(1);
}

static void open_port(struct port *port, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "/run/netns/%s", name);
    int space = open(path, O_RDONLY | O_CLOEXEC);
    require(space >= 0 && setns(space, CLONE_NEWNET) == 0, path);
    close(space);
    port->device = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
    struct ifreq request = {.ifr_name = "eth0", .ifr_flags = IFF_TAP | IFF_NO_PI};
    require(port->device >= 0 && ioctl(port->device, TUNSETIFF, &request) == 0, "/dev/net/tun");
    port->frames = calloc(FRAMES, sizeof *port->frames);
    require(port->frames != NULL, "memory");
}

/* Returns the port with this address, or EVERYBODY if there is none. */
static int find(const struct port *ports, int count, const char *address)
{
    for (int i = 0; i < count; i++)
        if (memcmp(ports[i].address, address, ADDRESS) == 0)
            return i;
    return EVERYBODY;
}

/* Receives the frames that wait at a port. A frame begins with the addresses of its receiver and sender. */
static void receive(struct port *ports, int count, struct port *port, long long delay)
{
    while (port->last - port->first < FRAMES) {
        struct frame *frame = &port->frames[port->last % FRAMES];
        ssize_t length = read(port->device, frame->bytes, sizeof frame->bytes);
        if (length < 2 * ADDRESS)
            return;
        memcpy(port->address, frame->bytes + ADDRESS, ADDRESS);
        frame->length = (size_t)length;
        frame->to = find(ports, count, frame->bytes);
        frame->due = now() + delay;
        port->last++;
    }
}

/* Sends a frame to its ports. If a port cannot take the frame, the frame is lost, as on any Ethernet. */
static void deliver(const struct port *ports, int count, const struct port *from, const struct frame *frame)
{
    for (int i = 0; i < count; i++)
        if (&ports[i] != from && (frame->to == i || frame->to == EVERYBODY))
            (void)!write(ports[i].device, frame->bytes, frame->length);
}

/* Sends the frames that are due. Returns the time at which the next frame is due, but at most `next`. */
static long long send_due(const struct port *ports, int count, struct port *port, long long next)
{
    while (port->first != port->last) {
        const struct frame *frame = &port->frames[port->first % FRAMES];
        if (frame->due > now())
            return frame->due < next ? frame->due : next;
        deliver(ports, count, port, frame);
        port->first++;
    }
    return next;
}

static void pass_on(struct port *ports, int count, long long delay)
{
    struct pollfd polled[PORTS];
    for (;;) {
        long long next = now() + 1000000000LL;
        for (int i = 0; i < count; i++) {
            next = send_due(ports, count, &ports[i], next);
            polled[i] = (struct pollfd){.fd = ports[i].device, .events = POLLIN};
            if (ports[i].last - ports[i].first == FRAMES)
                polled[i].events = 0;
        }
        long long wait = next - now();
        struct timespec time = {.tv_nsec = wait > 0 ? wait % 1000000000LL : 0,
                                .tv_sec = wait >= 1000000000LL};
        ppoll(polled, (nfds_t)count, &time, NULL);
        for (int i = 0; i < count; i++)
            if (polled[i].revents & POLLIN)
                receive(ports, count, &ports[i], delay);
    }
}

int main(int argc, char **argv)
{
    static struct port ports[PORTS];
    int count = argc - 2;
    if (count < 1 || count > PORTS) {
        fprintf(stderr, "usage: switch MICROSECONDS NAMESPACE...\n");
        return 2;
    }
    for (int i = 0; i < count; i++)
        open_port(&ports[i], argv[2 + i]);
    /* Frames must leave on time, so use a real-time priority and precise timers. */
    struct sched_param first = {.sched_priority = 10};
    sched_setscheduler(0, SCHED_FIFO, &first);
    prctl(PR_SET_TIMERSLACK, 1);
    puts("ready");
    fflush(stdout);
    pass_on(ports, count, atoll(argv[1]) * 1000);
}
