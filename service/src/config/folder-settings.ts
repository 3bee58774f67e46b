import { Type, type Static } from 'typebox'
import { closed, optional, text } from './setting-schemas.ts'

export type WatchedFolderSettings = Static<typeof WatchedFolderSettings>
/** A watched folder. */
export const WatchedFolderSettings = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      description: 'The folder, without its subfolders. A relative path is in the data folder.',
    }),
    pattern: text(
      'Files that are read, with * and ?. Include the names of rotated files. Default: *.',
    ),
    mapping: Type.String({
      minLength: 1,
      description: 'The mapping file (docs/file-import.md). A relative path is in the data folder.',
    }),
    pollSeconds: optional(
      Type.Number({
        minimum: 0.1,
        maximum: 86_400,
        unit: 'seconds',
        description: 'Seconds between two checks of the folder. Default: 10.',
      }),
    ),
  },
  closed,
)
