import { NOT_INSTALLED } from './find-ffmpeg.ts'

/** How a process ended, and the end of what its standard error said. */
type ProcessEnd = { code: number | null; signal: string | null; said: string }

/** What ffmpeg says, and what it means for who wants to see the camera. The first one counts. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/failed to execute/i, NOT_INSTALLED],
  [
    /cannot allocate memory|malloc of size|out of memory|failed to map segment/i,
    'The video of the camera takes more memory than cameras.maxMemoryMegabytes allows.',
  ],
  [/exceeds specified max pixel count/i, 'The picture of the camera is too large.'],
  [
    /error while opening encoder|get_buffer\(\) failed/i,
    'The video of the camera cannot be transcoded: it may take more memory than cameras.maxMemoryMegabytes allows.',
  ],
  [/not on whitelist|not in whitelist/i, 'The camera sends a format that is not allowed.'],
  [/unknown encoder/i, 'This ffmpeg cannot encode H.264: it was built without libx264.'],
  [/matches no streams|does not contain any stream/i, 'The camera sends no video.'],
  [
    /dimensions not set|could not find codec parameters|cannot determine format/i,
    'The camera sent no picture that ffmpeg can read.',
  ],
  [/connection refused|timed out|broken pipe/i, 'The connection to the camera was lost.'],
  [/invalid data found/i, 'The camera sends nothing that ffmpeg can read as video.'],
]

/** Why a process ended, as a sentence for clients. */
export function describeEnd({ code, signal, said }: ProcessEnd): string {
  if (code === 0) return 'The camera ended its video.'
  const [, meaning] = MEANINGS.find(([pattern]) => pattern.test(said)) ?? []
  if (meaning !== undefined) return meaning
  return signal === null ? `ffmpeg failed with code ${code}.` : `ffmpeg was ended by ${signal}.`
}

/** What a process said, for the log: without control characters, users, passwords and queries. */
export const cleanText = (said: string): string =>
  said
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, ' ')
    .replaceAll(/\/\/\S*@/g, '//***@')
    .replaceAll(/(:\/\/[^\s?]*)\?\S*/g, '$1?***')
    .trim()
