/** What becomes of the video: copied as it is, or made H.264 that browsers play. */
export type FfmpegOutput = { kind: 'copy' } | { kind: 'transcode'; height: number | undefined }

const words = (text: string): string[] => text.split(' ')

/** Input arguments for MPEG-TS on standard input. */
export const KEYFRAME_INPUT: readonly string[] = words(
  '-protocol_whitelist pipe -f mpegts -i pipe:0',
)

/** The largest picture that is decoded is 8K. */
const GENERAL = words(
  `-hide_banner -nostdin -nostats -loglevel level+error -max_pixels ${7680 * 4320}`,
)

/** Larger pictures are made smaller when they are transcoded: more would take several cores. */
const MAX_WIDTH = 3840
const MAX_HEIGHT = 1080

/** A keyframe is waited for so long: cameras have one at least every ten seconds. */
const KEYFRAME_MICROSECONDS = 12_000_000
const UNKNOWN_MICROSECONDS = 3_000_000
const FLV_MICROSECONDS = 1_000_000

/** Arguments that read an input and write MPEG-TS to descriptor 1 and FLV to descriptor 3. */
export const streamArguments = (input: readonly string[], output: FfmpegOutput): string[] => [
  ...GENERAL,
  ...probing(input),
  ...words('-threads 2'),
  ...input,
  ...VIDEO_ONLY,
  ...(output.kind === 'copy' ? COPY : transcoding(output.height)),
  ...words(`-f tee ${BOTH}`),
]

/** Arguments that write the first whole picture of an input to descriptor 1 as a JPEG. */
export const pictureArguments = (input: readonly string[]): string[] => [
  ...GENERAL,
  ...probing(input),
  // Several would keep pictures back.
  ...words('-threads 1'),
  ...input,
  ...VIDEO_ONLY,
  ...words(
    '-frames:v 1 -fps_mode passthrough -c:v mjpeg -pix_fmt yuvj420p -q:v 3 -threads 1 -f image2pipe pipe:1',
  ),
]

/**
 * How long ffmpeg looks at an input before it begins, which decides when the first picture comes.
 *
 * NOTE: `-fflags nobuffer` would throw away what it has looked at, the first keyframe among it.
 */
function probing(input: readonly string[]): string[] {
  const format = input[input.indexOf('-f') + 1]
  const address = input.at(-1) ?? ''
  // It looks for further programs otherwise, until the time is over.
  if (format === 'mpegts') return [...words('-scan_all_pmts 0'), ...analyze(KEYFRAME_MICROSECONDS)]
  if (address.startsWith('rtsp:')) return analyze(KEYFRAME_MICROSECONDS)
  // It always looks for the whole time. What it needs comes first.
  if (format === 'flv' || address.startsWith('rtmp:')) return analyze(FLV_MICROSECONDS)
  return analyze(UNKNOWN_MICROSECONDS)
}

const analyze = (microseconds: number): string[] =>
  words(`-fpsprobesize 0 -probesize 16000000 -analyzeduration ${microseconds}`)

const VIDEO_ONLY = words('-map 0:V:0 -map_metadata -1')

/** FLV takes H.264 under its own tag only, and MPEG-TS asks for none. */
const COPY = words('-c:v copy -tag:v 7')

const transcoding = (height: number | undefined): string[] => [
  ...words(`-vf ${scaling(height ?? MAX_HEIGHT)} -fps_mode vfr`),
  ...words('-c:v libx264 -preset veryfast -tune zerolatency -threads 2'),
  ...words('-profile:v high -pix_fmt yuv420p -crf 24 -maxrate 4M -bufsize 4M'),
  ...words('-force_key_frames expr:gte(t,n_forced*2) -flags +global_header'),
]

/** Never larger than it was, in even numbers of pixels. */
const scaling = (height: number): string =>
  `scale=w='min(iw,${MAX_WIDTH})':h='min(ih,${Math.max(2, height)})'` +
  ':force_original_aspect_ratio=decrease:force_divisible_by=2'

/** FLV takes H.264 only. Its players need a new header when the camera changes its picture. */
const FLV = [
  'f=flv:onfail=ignore:flush_packets=1:flvflags=no_duration_filesize',
  'bsfs/v=h264_mp4toannexb,extract_extradata',
].join(':')

const MPEG_TS =
  'f=mpegts:onfail=abort:flush_packets=1:mpegts_flags=+resend_headers+pat_pmt_at_frames'

/** Both outputs. MPEG-TS comes all the same where FLV cannot hold the video. */
const BOTH = `[${MPEG_TS}]pipe:1|[${FLV}]pipe:3`
