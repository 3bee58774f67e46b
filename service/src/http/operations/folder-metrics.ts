import type { Metric } from 'prom-client'
import type { FolderState } from '../../ingest/files/folder-state.ts'

/** Watched folders as metrics: whether they can be read, their files, and how far they are behind. */
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
    gauge('readable', '1 while the folder can be read, 0 while it cannot.', ({ state }) =>
      state === 'unreadable' ? 0 : 1,
    ),
    gauge('files', 'Files of the folder that fit its pattern.', ({ files }) => files),
    gauge(
      'files_refused',
      'Those of them that are not read.',
      ({ filesRejected }) => filesRejected,
    ),
    gauge('bytes_behind', 'Bytes of them that are not read yet.', ({ bytesBehind }) => bytesBehind),
    gauge(
      'last_record_timestamp_seconds',
      'The latest time of a record that was stored since the start, in seconds since 1970.',
      ({ lastRecordTime }) => (lastRecordTime === undefined ? undefined : lastRecordTime / 1000),
    ),
  ]
}
