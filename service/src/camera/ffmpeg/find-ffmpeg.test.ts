import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findProblemOfVersion } from './find-ffmpeg.ts'

test('ffmpeg 5.1 and later can be used, and builds whose version has no number', () => {
  for (const version of ['5.1', '5.1.9-0+deb12u1', '6.1.1-3ubuntu5', 'n7.1', '10.0', 'N-1-gabc'])
    assert.equal(findProblemOfVersion(`ffmpeg version ${version} Copyright (c)`), undefined)
})

test('an older ffmpeg is named with the version that is needed', () => {
  assert.equal(
    findProblemOfVersion('ffmpeg version 4.4.2-0ubuntu0.22.04.1 Copyright (c)'),
    'ffmpeg 4.4.2-0ubuntu0.22.04.1 is too old: 5.1 is needed.',
  )
  assert.match(findProblemOfVersion('ffmpeg version 5.0.1 Copyright') ?? '', /too old/)
})

test('another program is not ffmpeg', () => {
  assert.equal(
    findProblemOfVersion('true (GNU coreutils) 9.1'),
    'The setting cameras.ffmpeg names a program that is not ffmpeg.',
  )
})
