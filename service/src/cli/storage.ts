import { chooseSubcommand, type Command } from './command.ts'
import { copyStorage } from './storage-copy.ts'
import { distributeTables } from './storage-distribute.ts'

const SUBCOMMANDS = { copy: copyStorage, distribute: distributeTables }

export const storage: Command = {
  summary: 'copy all data to another storage, or distribute it over workers of Citus',
  usage:
    'plumbline storage copy --from STORAGE --to STORAGE [--dry-run] [--no-wait] [--from-password-file FILE] [--to-password-file FILE] [--json] | distribute [--shards N] [--dry-run] [--json]',
  help: `copy         Copies all data from one storage to another, in either direction, while the service goes on with the old one.
A storage is sqlite:FOLDER, the path of a data folder, or postgres://USER@HOST/DATABASE; in PostgreSQL use the
role that owns the tables. The target must be empty; tables that are missing are created.

The command copies everything, then what has changed meanwhile. Then it waits until the service that uses the old
storage is stopped, copies the rest, and compares both: the records of each station and sensor and all other
data, by counts and checksums. It ends with the setting for the new storage. The folders "secrets" and "tls" and
the settings file are not copied. If it is interrupted, the same command continues from what it has copied.
Until it has ended, nothing else opens the target.

  --from STORAGE              the storage that has the data; nothing of it is changed
  --to STORAGE                the storage that gets it
  --from-password-file FILE   a file with the password of a database; otherwise PGPASSWORD or PGPASSFILE
  --to-password-file FILE     the same for the target
  --dry-run                   show the rows and bytes of each table and the estimated time, and copy nothing
  --no-wait                   do not wait for the service to stop: end, to be continued by the same command
  --json                      print JSON: {"isComplete", "passes", "written", "rows", "records", "seconds"},
                              with --dry-run {"tables", "rows", "bytes", "seconds"}

distribute   Turns the tables of a database of PostgreSQL into tables of Citus, and moves their rows: records, sealed
days and marks are spread over the workers by source, traffic by structure; all else stays on the coordinator. The
storage URL names the coordinator, with the role that owns the tables. Nothing else may use the database meanwhile:
stop the service first. If it is interrupted, the same command continues. Clients see no difference (docs/citus.md).

  --shards N   the number of shards, from 1 to 1024 (default 4 for each worker): at least as many as there will ever be workers
  --dry-run    show what would become of each table and change nothing
  --json       print JSON: {"workers", "shards", "tables", "isDistributed"}`,
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    'from-password-file': { type: 'string' },
    'to-password-file': { type: 'string' },
    'no-wait': { type: 'boolean' },
    shards: { type: 'string' },
    'dry-run': { type: 'boolean' },
    json: { type: 'boolean' },
  },
  subcommands: Object.keys(SUBCOMMANDS),

  run: (context) => chooseSubcommand(SUBCOMMANDS, context)(context),
}
