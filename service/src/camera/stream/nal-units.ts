const START_CODE = Buffer.from([0, 0, 1])

/** Types of NAL units of H.264 (ITU-T H.264, table 7-1). */
export const NAL = { slice: 1, keySlice: 5, sps: 7, pps: 8, delimiter: 9, filler: 12 } as const

export const nalType = (unit: Buffer): number => (unit[0] ?? 0) & 0x1f

/** The NAL units of a frame in the byte stream format (Annex B), without start codes and padding. */
export function splitNalUnits(frame: Buffer): Buffer[] {
  const units: Buffer[] = []
  let start = frame.indexOf(START_CODE)
  while (start !== -1) {
    const from = start + START_CODE.length
    const next = frame.indexOf(START_CODE, from)
    const unit = withoutPadding(frame.subarray(from, next === -1 ? frame.length : next))
    if (unit.length > 0) units.push(unit)
    start = next
  }
  return units
}

/** A unit never ends with a zero byte: those are padding, or the start of a long start code. */
function withoutPadding(unit: Buffer): Buffer {
  let end = unit.length
  while (end > 0 && unit[end - 1] === 0) end--
  return unit.subarray(0, end)
}

/** What a decoder needs before the first frame: the sequence and picture parameter sets. */
export type DecoderParameters = { readonly sps: Buffer; readonly pps: Buffer }

/** The first parameter sets of a frame; undefined unless it has both. */
export function findParameters(units: readonly Buffer[]): DecoderParameters | undefined {
  const sps = units.find((unit) => nalType(unit) === NAL.sps && unit.length >= 4)
  const pps = units.find((unit) => nalType(unit) === NAL.pps)
  return sps === undefined || pps === undefined ? undefined : { sps, pps }
}

/** Profiles that browsers play: baseline, main and high, which are 8-bit 4:2:0. */
const PLAYED_PROFILES = new Set([66, 77, 100])

/** Whether browsers play H.264 with these parameters. */
export const isPlayedByBrowsers = ({ sps }: DecoderParameters): boolean =>
  PLAYED_PROFILES.has(sps[1] ?? 0)
