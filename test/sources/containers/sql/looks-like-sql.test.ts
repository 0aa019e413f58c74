import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { matchSql } from '../../../../src/sources/containers/sql/read-sql.ts';

const looks = (text: string) => matchSql({ head: Buffer.from(text, 'latin1') }) === 'fits';

it.each([
  '--\n-- PostgreSQL database dump\n--\n',
  '\n\n-- phpMyAdmin SQL Dump\n-- version 5.2.1\n',
  '/*M!999999\\- enable the sandbox mode */ \n',
  '/*!999999\\- enable the sandbox mode */ \n-- MariaDB dump',
  'mysqldump: [Warning] Using a password on the command line interface can be insecure.\n-- MySQL dump 10.13',
  '-- any comment, and then\nINSERT INTO `users` VALUES (1);',
  '# a comment\n\nCREATE TABLE IF NOT EXISTS users (id int);',
  '/* a comment */ insert into users (id) values (1);',
  'PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;',
  'USE [shop]\r\nGO\r\n/****** Object:  Table [dbo].[Users] ******/',
  'USE `shop`;\n',
  'SET ANSI_NULLS ON\r\nGO\r\n',
  'SET session_replication_role = replica;\n',
  'INSERT [dbo].[Users] ([Id]) VALUES (1)',
  'COPY auth.users (id, email) FROM stdin;\n1\t2\n',
  '\\restrict abc\n',
  '\xef\xbb\xbfCREATE TABLE users (id int);',
])('accepts %j', (head) => {
  expect(looks(head)).toBe(true);
});

it.each([
  '',
  '\n',
  'id,email\n1,ada@example.com\n',
  'Create Date,Email\n2020,ada@example.com\n',
  'set,use\n1,2\n',
  'use,insert into\n',
  'Insert;Into;Users\n',
  'copy\tfrom\n',
  'Select all,Name\n',
  '{"users":[]}',
  '[{"a":"INSERT INTO users VALUES (1);"}]',
  '# LDIF\nversion: 1\ndn: cn=ada\n',
  'dn: uid=insert\n',
  'root:$6$abc:19000:0:99999:7:::\n',
  'update:!:19000::::::\n',
  'hash_config {\n',
  '---\na: b\n',
  '<?xml version="1.0"?>',
])('rejects %j', (head) => {
  expect(looks(head)).toBe(false);
});

it('rejects every sample of other kinds', () => {
  const samples = readdirSync('test/sources/samples', { recursive: true, encoding: 'utf8' });
  const files = samples.filter((name) => /\.(?:csv|json|ndjson|ldif|txt|shadow)$/.test(name));
  expect(files.length).toBeGreaterThan(40);
  const headOf = (name: string) => readFileSync(`test/sources/samples/${name}`).subarray(0, 65_536);
  const wrong = files.filter((name) => matchSql({ head: headOf(name) }) === 'fits');
  expect(wrong).toEqual([]);
});
