import assert from 'node:assert/strict'
import { withService, type TestService } from '../_service.ts'
import { differences, type Answer, type Fixture } from './_fixture.ts'

/** Starts today's program over the data folder of a fixture, at the time when it was made. */
export function openUpgraded(fixture: Fixture, folder: string): Promise<TestService> {
  const startedAt = performance.now()
  return withService({
    folder,
    settings: { 'seal.everyMinutes': 0 },
    now: () => Math.round(fixture.madeAt + 10_000 + performance.now() - startedAt),
  })
}

/** Where the answers of today are not those of the program that filled the folder. */
export async function compareAnswers(service: TestService, fixture: Fixture): Promise<string[]> {
  const found: string[] = []
  for (const earlier of fixture.answers)
    found.push(...(await compareAnswer(service, fixture.token, earlier)))
  return found
}

export async function compareAnswer(
  service: TestService,
  token: string,
  { method, path, body, status, answer }: Answer,
): Promise<string[]> {
  const response = await service.call(path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  assert.equal(response.status, status, `${method} ${path}: ${response.text}`)
  return differences(answer, response.json()).map((line) => `${method} ${path} ${line}`)
}
