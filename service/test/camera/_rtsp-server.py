"""An RTSP server with one live stream; says its port, and ends when its standard input does.

Arguments: CODEC WIDTH HEIGHT RATE GOP SCHEME USER PASSWORD; SCHEME is none, digest or basic.
"""

import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer  # noqa: E402

CODEC, WIDTH, HEIGHT, RATE, GOP, SCHEME, USER, PASSWORD = sys.argv[1:]

ENCODERS = {
    "h264": f"x264enc tune=zerolatency speed-preset=ultrafast bitrate=500 key-int-max={GOP}"
    " ! rtph264pay name=pay0 pt=96 config-interval=1",
    "h265": f"x265enc tune=zerolatency speed-preset=ultrafast bitrate=500 key-int-max={GOP}"
    " log-level=0 ! rtph265pay name=pay0 pt=96 config-interval=1",
    "mjpeg": "jpegenc ! rtpjpegpay name=pay0 pt=26",
}


def protect(server, factory):
    auth = GstRtspServer.RTSPAuth()
    token = GstRtspServer.RTSPToken()
    token.set_string(GstRtspServer.RTSP_TOKEN_MEDIA_FACTORY_ROLE, "viewer")
    if SCHEME == "digest":
        auth.set_supported_methods(GstRtsp.RTSPAuthMethod.DIGEST)
        auth.add_digest(USER, PASSWORD, token)
    else:
        auth.add_basic(GstRtspServer.RTSPAuth.make_basic(USER, PASSWORD), token)
    server.set_auth(auth)
    permissions = GstRtspServer.RTSPPermissions()
    permissions.add_permission_for_role("viewer", "media.factory.access", True)
    permissions.add_permission_for_role("viewer", "media.factory.construct", True)
    factory.set_permissions(permissions)


Gst.init(None)
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service("0")
factory = GstRtspServer.RTSPMediaFactory()
factory.set_launch(
    "( videotestsrc is-live=true pattern=ball"
    f" ! video/x-raw,format=I420,width={WIDTH},height={HEIGHT},framerate={RATE}/1"
    f" ! {ENCODERS[CODEC]}"
    " audiotestsrc is-live=true wave=silence ! alawenc ! rtppcmapay name=pay1 pt=8 )"
)
factory.set_shared(True)
if SCHEME != "none":
    protect(server, factory)
server.get_mount_points().add_factory("/cam", factory)
server.attach(None)

loop = GLib.MainLoop()
GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, lambda *_: loop.quit())
print(server.get_bound_port(), flush=True)
loop.run()
