/** The settings that say where a server listens, without `.host` and `.port`. */
export type ListeningSettings = 'http' | 'ops' | 'ingest.broker'

/** Lets the error of a server that cannot listen carry the settings that say where it listens. */
export async function listenBy<Result>(
  settings: ListeningSettings,
  listening: Promise<Result>,
): Promise<Result> {
  try {
    return await listening
  } catch (error) {
    throw Object.assign(error as Error, { settings })
  }
}
