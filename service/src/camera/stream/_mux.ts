import { PACKET_BYTES, TICKS_PER_SECOND } from './mpegts.ts'
import type { Frame } from './frame-reader.ts'

const PMT_PID = 0x1000
const VIDEO_PID = 0x100

/** A frame that a test puts into a transport stream. */
export type TestFrame = {
  seconds: number
  isKey?: boolean
  shownAfterSeconds?: number
  nalUnits?: readonly Buffer[]
}

/** A sequence parameter set of a profile; only its beginning means something. */
export const spsOf = (profile: number, width = 1): Buffer =>
  Buffer.from([0x67, profile, 0, 30, width])
export const PPS = Buffer.from([0x68, 0xce, 0x3c, 0x80])

/** A slice that is as large as a test needs. */
export const slice = (bytes: number, { isKey = false } = {}): Buffer =>
  Buffer.alloc(bytes, 0xab).fill(isKey ? 0x65 : 0x41, 0, 1)

export const keyframe = (seconds: number, bytes = 400, sps = spsOf(100)): TestFrame => ({
  seconds,
  isKey: true,
  nalUnits: [sps, PPS, slice(bytes, { isKey: true })],
})

/** Frames of a second each, with a keyframe every so many. */
export const framesOf = (count: number, keyEvery: number, perSecond = 1): TestFrame[] =>
  Array.from({ length: count }, (_, at) =>
    at % keyEvery === 0 ? keyframe(at / perSecond) : { seconds: at / perSecond },
  )

/** Frames as a reader returns them. */
export const asFrames = (frames: readonly TestFrame[]): Frame[] =>
  frames.map((frame) => ({
    bytes: muxFrame(frame),
    tables: tables(),
    stream: { pid: VIDEO_PID, type: 0x1b },
    isKey: frame.isKey ?? false,
    decodeTime: Math.round(frame.seconds * TICKS_PER_SECOND),
    shownAfter: Math.round((frame.shownAfterSeconds ?? 0) * TICKS_PER_SECOND),
  }))

/** A PAT and a PMT that names one stream. */
export function tables(streamType = 0x1b): Buffer {
  const pat = [0, 1, 0xc1, 0, 0, 0, 1, 0xe0 | (PMT_PID >> 8), PMT_PID & 0xff]
  const video = [streamType, 0xe0 | (VIDEO_PID >> 8), VIDEO_PID & 0xff, 0xf0, 0]
  const pmt = [0, 1, 0xc1, 0, 0, 0xe0 | (VIDEO_PID >> 8), VIDEO_PID & 0xff, 0xf0, 0, ...video]
  return Buffer.concat([tablePacket(0, 0, pat), tablePacket(PMT_PID, 2, pmt)])
}

function tablePacket(pid: number, tableId: number, body: readonly number[]): Buffer {
  const section = [0, tableId, 0xb0, body.length + 4, ...body, 0, 0, 0, 0]
  const header = [0x47, 0x40 | (pid >> 8), pid & 0xff, 0x10]
  return Buffer.concat([Buffer.from([...header, ...section])], PACKET_BYTES).fill(
    0xff,
    header.length + section.length,
  )
}

/** The packets of frames, with tables at the beginning. */
export const mux = (frames: readonly TestFrame[], streamType = 0x1b): Buffer =>
  Buffer.concat([tables(streamType), ...frames.map(muxFrame)])

/** The packets of a frame. */
export function muxFrame({
  seconds,
  isKey = false,
  shownAfterSeconds = 0,
  nalUnits = [slice(100)],
}: TestFrame): Buffer {
  const decode = Math.round(seconds * TICKS_PER_SECOND)
  const shown = decode + Math.round(shownAfterSeconds * TICKS_PER_SECOND)
  const header = [0, 0, 1, 0xe0, 0, 0, 0x80, 0xc0, 10, ...stamp(3, shown), ...stamp(1, decode)]
  const units = nalUnits.flatMap((unit) => [Buffer.from([0, 0, 0, 1]), unit])
  const bytes = Buffer.concat([Buffer.from(header), ...units])
  const packets: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const isFirst = at === 0
    const room = PACKET_BYTES - 4 - (isFirst ? 2 : 0)
    const portion = bytes.subarray(at, at + room)
    packets.push(packetOf(portion, { isFirst, isKey }))
    at += portion.length
  }
  return Buffer.concat(packets)
}

/** The adaptation field says that a keyframe begins, and fills the packet. */
function packetOf(
  portion: Buffer,
  { isFirst, isKey }: { isFirst: boolean; isKey: boolean },
): Buffer {
  const spare = PACKET_BYTES - 4 - portion.length
  const control = spare === 0 ? 0x10 : 0x30
  const header = [0x47, (isFirst ? 0x40 : 0) | (VIDEO_PID >> 8), VIDEO_PID & 0xff, control]
  const adaptation = Buffer.alloc(spare, 0xff)
  if (spare > 0) adaptation.writeUInt8(spare - 1, 0)
  if (spare > 1) adaptation.writeUInt8(isFirst && isKey ? 0x40 : 0, 1)
  return Buffer.concat([Buffer.from(header), adaptation, portion])
}

/** A time stamp of 33 bits, which begins again. */
function stamp(prefix: number, ticks: number): number[] {
  const high = Math.floor(ticks / 2 ** 30) & 7
  const low = ticks % 2 ** 30
  const [middle, rest] = [low >> 15, low & 0x7fff]
  return [
    (prefix << 4) | (high << 1) | 1,
    (middle >> 7) & 0xff,
    ((middle & 0x7f) << 1) | 1,
    (rest >> 7) & 0xff,
    ((rest & 0x7f) << 1) | 1,
  ]
}
