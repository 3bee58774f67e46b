import { CitusCluster } from '../../../service/test/_citus.ts'
import { distributeTables, newTables } from '../../../service/test/citus/_distributed.ts'

/** A cluster with the tables of Plumbline, distributed as the command does it. */
export async function startCitus(): Promise<AsyncDisposable & { url: string }> {
  await using stack = new AsyncDisposableStack()
  const cluster = stack.use(await CitusCluster.start())
  const url = await newTables(cluster)
  await distributeTables(url)
  const moved = stack.move()
  return { url, [Symbol.asyncDispose]: () => moved.disposeAsync() }
}
