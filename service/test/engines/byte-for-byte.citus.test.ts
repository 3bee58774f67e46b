import { CitusCluster } from '../_citus.ts'
import { newDistributedTables } from '../citus/_distributed.ts'
import { runs } from '../_random.ts'
import { describeTwins } from './_byte-for-byte.ts'

describeTwins('Citus', {
  count: runs(600, 150),

  async newDatabase() {
    const cluster = await CitusCluster.start()
    return {
      url: await newDistributedTables(cluster),
      [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
    }
  },
})
