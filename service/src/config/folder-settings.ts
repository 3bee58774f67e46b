import { Type, type Static } from 'typebox'

export type WatchedFolderSettings = Static<typeof WatchedFolderSettings>
/** A folder whose files are read as they grow. */
export const WatchedFolderSettings = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      description:
        'The folder; those within it are not read. A relative one is in the data folder.',
    }),
    pattern: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Which of its files; include the names that files are given when they are rotated. Left out: *.',
      }),
    ),
    mapping: Type.String({
      minLength: 1,
      description: 'The mapping file: docs/file-import.md. A relative one is in the data folder.',
    }),
    pollSeconds: Type.Optional(
      Type.Number({
        minimum: 0.1,
        maximum: 86_400,
        description: 'How often its files are looked at; left out: 10.',
      }),
    ),
  },
  { additionalProperties: false },
)
