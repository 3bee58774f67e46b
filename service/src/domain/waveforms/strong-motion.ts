import { TextLines } from './text-lines.ts'
import { invalid, type Waveform } from './waveform.ts'

/** Reads the channels of a file of strong motion, each from its first line on to its end. */
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

/** What ends a channel: the line itself, and how a sentence names it. */
export type ChannelEnd = { line: RegExp; words: string }

/** Reads the blocks of a channel, at least one, to the line that ends it. */
export function readBlocks(
  lines: TextLines,
  { channel, end }: { channel: string; end: ChannelEnd },
  readBlock: (place: number) => Waveform,
): Waveform[] {
  const blocks: Waveform[] = []
  for (;;) {
    if (!lines.advance())
      throw invalid(
        `line ${lines.number}: the file ends within ${channel}, expected ${end.words}: truncated`,
      )
    if (end.line.test(lines.text()) && blocks.length > 0) return blocks
    blocks.push(readBlock(blocks.length))
  }
}
