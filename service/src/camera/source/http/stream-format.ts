import { SourceError } from '../opened-source.ts'

/** A format of a stream: the name that ffmpeg gives it. */
export type StreamFormat = 'mpegts' | 'flv' | 'mov' | 'matroska' | 'mpjpeg'

/** So many bytes tell the formats apart. */
export const FORMAT_BYTES = 16

/** The first byte of every packet of MPEG-TS. */
const SYNC_BYTE = 0x47

/** Boxes with which MP4 begins, in pieces or whole. */
const MP4_BOXES: ReadonlySet<string> = new Set(['ftyp', 'styp', 'moov', 'moof', 'sidx', 'emsg'])

/** Tells the format by the first bytes; throws a SourceError for another one. */
export function formatOf(head: Buffer, contentType: string): StreamFormat {
  if (/^multipart\/x-mixed-replace\b/i.test(contentType)) return 'mpjpeg'
  if (/^video\/mp2t\b/i.test(contentType)) return 'mpegts'
  if (head[0] === SYNC_BYTE && !head.subarray(0, 4).equals(Buffer.from('GIF8'))) return 'mpegts'
  if (head.toString('latin1', 0, 3) === 'FLV') return 'flv'
  if (MP4_BOXES.has(head.toString('latin1', 4, 8))) return 'mov'
  if (head.toString('hex', 0, 4) === '1a45dfa3') return 'matroska'
  throw new SourceError(
    'The camera sends none of MPEG-TS, FLV, MP4 in fragments, Matroska, Motion JPEG and HLS.',
  )
}

/** Arguments of ffmpeg by which it reads a format from its standard input, and nothing else. */
export const inputOf = (format: StreamFormat): readonly string[] => [
  // Motion JPEG has no times: a picture is of the instant at which it arrives.
  ...(format === 'mpjpeg' ? ['-use_wallclock_as_timestamps', '1'] : []),
  ...`-protocol_whitelist pipe -format_whitelist ${format} -f ${format} -i pipe:0`.split(' '),
]
