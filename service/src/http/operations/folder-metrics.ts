import type { Metric } from 'prom-client'
import type { FolderState } from '../../ingest/files/folder-state.ts'

/** Metrics of watched folders: their state, their files and the bytes that are not read yet. */
export async function folderMetrics(folders: () => readonly FolderState[]): Promise<Metric[]> {
  const { Gauge } = await import('prom-client')
  const gauge = (name: string, help: string, read: (state: FolderState) => number | undefined) =>
    new Gauge({
      name: `plumbline_folder_${name}`,
      help,
      labelNames: ['origin'],
      registers: [],
      collect() {
        this.reset()
        for (const folder of folders()) {
          const value = read(folder)
          if (value !== undefined) this.set({ origin: folder.origin }, value)
        }
      },
    })
  return [
    gauge('readable', '1 if the folder can be read, 0 if not.', ({ state }) =>
      state === 'unreadable' ? 0 : 1,
    ),
    gauge('files', 'Files of the folder that match its pattern.', ({ files }) => files),
    gauge(
      'files_rejected',
      'Files of the folder that match its pattern and are not read completely.',
      ({ filesRejected }) => filesRejected,
    ),
    gauge(
      'bytes_behind',
      'Bytes of the files that are not read yet.',
      ({ bytesBehind }) => bytesBehind,
    ),
    gauge(
      'last_record_timestamp_seconds',
      'The latest time of a record stored since the start, in seconds since 1970.',
      ({ lastRecordTime }) => (lastRecordTime === undefined ? undefined : lastRecordTime / 1000),
    ),
  ]
}
