/** Passes bytes on; once the signal is aborted it throws its reason instead of the next ones. */
export async function* untilAborted(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted()
  for await (const chunk of chunks) {
    signal?.throwIfAborted()
    yield chunk
  }
}
