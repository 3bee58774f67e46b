import { TextLines } from './text-lines.ts'
import { invalid, type Waveform } from './waveform.ts'

/** Reads the channels of a strong-motion file; `readChannel` starts at a channel's first line. */
export function readChannels(
  bytes: Uint8Array,
  readChannel: (lines: TextLines) => Waveform[],
): Waveform[] {
  const lines = new TextLines(bytes)
  const waveforms: Waveform[] = []
  while (lines.advance()) if (!lines.isBlank()) waveforms.push(...readChannel(lines))
  if (waveforms.length === 0) throw invalid('the file has no channel, expected at least one')
  return waveforms
}

/** The line at the end of a channel, and its name in error sentences. */
type ChannelEnd = { line: RegExp; name: string }

/** Reads the blocks of a channel, at least one, up to the line at its end. */
export function readBlocks(
  lines: TextLines,
  { channel, end }: { channel: string; end: ChannelEnd },
  readBlock: (place: number) => Waveform,
): Waveform[] {
  const blocks: Waveform[] = []
  for (;;) {
    if (!lines.advance())
      throw invalid(
        `line ${lines.number}: the file ends within ${channel}, expected ${end.name}: truncated`,
      )
    if (end.line.test(lines.text()) && blocks.length > 0) return blocks
    blocks.push(readBlock(blocks.length))
  }
}
