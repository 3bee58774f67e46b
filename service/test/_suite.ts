import { after, before } from 'node:test'
import { SITE } from './_site.ts'
import { withService, type TestService } from './_service.ts'

/** What all tests of a suite share, from before the first of them to after the last. */
export type Suite = {
  readonly service: TestService
  /** Of the first user. */
  readonly token: string
  readonly key: string
}

/** One service for all tests of a suite, and what is to be there before the first of them. */
export function shareService(
  options: Parameters<typeof withService>[0] = { site: SITE },
  prepare: (suite: Suite) => Promise<void> = async () => {},
): Suite {
  const suite = {} as { -readonly [Part in keyof Suite]: Suite[Part] }
  before(async () => {
    suite.service = await withService(options)
    suite.token = await suite.service.issueToken()
    suite.key = await suite.service.createKey()
    await prepare(suite)
  })
  after(() => suite.service[Symbol.asyncDispose]())
  return suite
}
