import { toError } from '../errors/thrown.ts'

/** The names of the settings of a server's address, without `.host` and `.port`. */
export type ListeningSettings = 'http' | 'ops' | 'ingest.broker'

/** Adds the names of the settings to the error of a server that cannot listen. */
export async function listenBy<Result>(
  settings: ListeningSettings,
  listening: Promise<Result>,
): Promise<Result> {
  try {
    return await listening
  } catch (error) {
    throw Object.assign(toError(error), { settings })
  }
}
