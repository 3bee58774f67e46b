import { newDatabase } from '../_postgres.ts'
import { runs } from '../_random.ts'
import { describeTwins } from './_byte-for-byte.ts'

describeTwins('PostgreSQL', { count: runs(5_000), newDatabase })
