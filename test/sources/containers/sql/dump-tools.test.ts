import { expect, it } from 'vitest';
import { readDump } from './read-dump.ts';

const MYSQL = '-- MySQL dump 10.13\n/*!40101 SET NAMES utf8mb4 */;\n';
const MYSQL_END = '\n-- Dump completed\n';
const POSTGRES = '-- PostgreSQL database dump\nSET standard_conforming_strings = on;\n';
const POSTGRES_END = '\n-- PostgreSQL database dump complete\n';
/** Statements that each tool writes around its rows. The table `u` has one row. */
const DUMPS: Readonly<Record<string, string>> = {
  'mysqldump, a view':
    MYSQL +
    'CREATE TABLE `u` (`a` int);\nINSERT INTO `u` VALUES (1);\n/*!50001 DROP TABLE IF EXISTS `v`*/;\n/*!50001 DROP VIEW IF EXISTS `v`*/;\n/*!50001 CREATE ALGORITHM=UNDEFINED */\n/*!50013 DEFINER=`root`@`%` SQL SECURITY DEFINER */\n/*!50001 VIEW `v` AS select `u`.`a` AS `a` from `u` */;\nSET @@SESSION.SQL_LOG_BIN = @MYSQLDUMP_TEMP_LOG_BIN;' +
    MYSQL_END,
  'mysqldump, an event':
    MYSQL +
    'DELIMITER ;;\n/*!50106 CREATE*/ /*!50117 DEFINER=`root`@`%`*/ /*!50106 EVENT `e` ON SCHEDULE EVERY 1 DAY DO DELETE FROM u */ ;;\nDELIMITER ;\nINSERT INTO u (a) VALUES (1);' +
    MYSQL_END,
  HeidiSQL:
    "-- --------------------------------------------------------\n-- HeidiSQL Version: 12\n/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;\n/*!40101 SET NAMES utf8 */;\n/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;\nCREATE DATABASE IF NOT EXISTS `d` /*!40100 DEFAULT CHARACTER SET utf8mb4 */;\nUSE `d`;\nCREATE TABLE IF NOT EXISTS `u` (`a` int);\nDELETE FROM `u`;\n/*!40000 ALTER TABLE `u` DISABLE KEYS */;\nINSERT INTO `u` (`a`) VALUES\n\t(1);\n/*!40000 ALTER TABLE `u` ENABLE KEYS */;\nSET @OLDTMP_SQL_MODE=@@SQL_MODE, SQL_MODE='STRICT_TRANS_TABLES';\nDELIMITER //\nCREATE TRIGGER `t` BEFORE INSERT ON `u` FOR EACH ROW BEGIN SET NEW.a = 1; END//\nDELIMITER ;\nSET SQL_MODE=@OLDTMP_SQL_MODE;\n/*!40103 SET TIME_ZONE=IFNULL(@OLD_TIME_ZONE, 'system') */;\n",
  Adminer:
    "-- Adminer 4.8.1 MySQL 8.0.30 dump\n\nSET NAMES utf8;\nSET time_zone = '+00:00';\nSET foreign_key_checks = 0;\nSET sql_mode = 'NO_AUTO_VALUE_ON_ZERO';\n\nSET NAMES utf8mb4;\n\nDELIMITER ;;\n\nDROP PROCEDURE IF EXISTS `p`;;\nCREATE PROCEDURE `p`() SELECT 1;;\n\nDELIMITER ;\n\nDROP TABLE IF EXISTS `u`;\nCREATE TABLE `u` (`a` text);\n\nTRUNCATE `u`;\nINSERT INTO `u` (`a`) VALUES\n('it\\'s');\n\n-- 2024-01-01\n",
  'TablePlus of MySQL':
    "-- -------------------------------------------------------------\n-- TablePlus 5.3.8\n/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;\n/*!40101 SET NAMES utf8mb4 */;\n/*!40101 SET @OLD_SQL_MODE='NO_AUTO_VALUE_ON_ZERO', SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;\nDROP TABLE IF EXISTS `u`;\nCREATE TABLE `u` (`a` text);\nINSERT INTO `u` (`a`) VALUES\n('x\\\\');\n/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;\n",
  'TablePlus of PostgreSQL':
    '-- TablePlus\nDROP TABLE IF EXISTS "public"."u";\n-- Sequence and defined type\nCREATE SEQUENCE IF NOT EXISTS u_id_seq;\nDROP TYPE IF EXISTS "public"."m";\nCREATE TYPE "public"."m" AS ENUM (\'a\');\nCREATE TABLE "public"."u" ("a" int4);\nINSERT INTO "public"."u" ("a") VALUES\n(1);\nDROP TABLE IF EXISTS "public"."w";\nDROP TYPE IF EXISTS "public"."n";\nALTER TABLE "public"."u" ADD FOREIGN KEY ("a") REFERENCES "public"."w"("a");\n-- Indices\nCREATE UNIQUE INDEX u_a ON public.u USING btree (a);\n',
  pg_dump:
    POSTGRES +
    "CREATE EXTENSION IF NOT EXISTS citext WITH SCHEMA public;\nCOMMENT ON EXTENSION citext IS 'x';\nCREATE DOMAIN public.d AS text;\nCOPY public.u (a) FROM stdin;\n1\n\\.\nALTER TABLE ONLY public.u REPLICA IDENTITY FULL;\nCREATE STATISTICS public.s ON a FROM public.u;\nALTER TABLE public.u OWNER TO a;\nALTER FUNCTION public.f(integer, text) OWNER TO postgres;\nALTER INDEX public.i ATTACH PARTITION public.j;\nALTER TABLE ONLY public.u FORCE ROW LEVEL SECURITY;\nCREATE POLICY p ON public.u USING ((a = 1));\nALTER EVENT TRIGGER e OWNER TO a;\nALTER PUBLICATION p ADD TABLE ONLY public.u;\nALTER TABLE ONLY public.u ALTER COLUMN a SET STATISTICS 1000;\nALTER TEXT SEARCH CONFIGURATION public.x OWNER TO a;\nSELECT pg_catalog.set_config('search_path', '', false);\nALTER OPERATOR public.+ (integer, integer) OWNER TO a;\nALTER TABLE public.u DISABLE RULE r;\nALTER SEQUENCE public.s OWNED BY public.u.a;\nALTER ROLE postgres SET x TO 'y';\nSELECT * FROM pg_catalog.pg_restore_relation_stats('version', '180000'::integer);" +
    POSTGRES_END,
  'sqlite3, a virtual table':
    "PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\nCREATE TABLE u(a);\nINSERT INTO u VALUES(unistr('x\\u000a'));\nPRAGMA writable_schema=ON;\nINSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table','f','f',0,'CREATE VIRTUAL TABLE f USING fts5(a)');\nANALYZE sqlite_schema;\nCREATE INDEX i ON u(a);\nPRAGMA writable_schema=OFF;\nCOMMIT;\n",
  'SQL Server Management Studio':
    "USE [master]\nGO\n/****** Object:  Database [x] ******/\nCREATE DATABASE [x]\n CONTAINMENT = NONE\n ON  PRIMARY \n( NAME = N'x', FILENAME = N'C:\\x.mdf' )\nGO\nIF (1 = FULLTEXTSERVICEPROPERTY('IsFullTextInstalled'))\nbegin\nEXEC [x].[dbo].[sp_fulltext_database] @action = 'enable'\nend\nGO\nALTER DATABASE [x] SET ANSI_NULL_DEFAULT OFF \nGO\nUSE [x]\nGO\nCREATE USER [a] FOR LOGIN [a] WITH DEFAULT_SCHEMA=[dbo]\nGO\nALTER ROLE [db_owner] ADD MEMBER [a]\nGO\nSET ANSI_NULLS ON\nGO\nCREATE TABLE [dbo].[u](\n\t[a] [int] IDENTITY(1,1) NOT NULL\n) ON [PRIMARY]\nGO\nSET IDENTITY_INSERT [dbo].[u] ON \n\nINSERT [dbo].[u] ([a]) VALUES (1)\nSET IDENTITY_INSERT [dbo].[u] OFF\nGO\nSET ANSI_PADDING ON\nGO\n/****** Object:  Index ******/\nCREATE NONCLUSTERED INDEX [i] ON [dbo].[u]\n(\n\t[a] ASC\n)WITH (PAD_INDEX = OFF) ON [PRIMARY]\nGO\nALTER TABLE [dbo].[u] ADD  CONSTRAINT [d]  DEFAULT ((0)) FOR [a]\nGO\nUSE [master]\nGO\nALTER DATABASE [x] SET  READ_WRITE \nGO\n",
};

it.each(Object.entries(DUMPS))('reads what %s writes', async (_tool, dump) => {
  for (const wanted of [true, false]) {
    const { rows, problem } = await readDump(dump, { wanted: () => wanted });
    expect(problem).toBeUndefined();
    const ofU = Object.entries(rows).filter(([name]) => /^(?:\w+\.)?u$/.test(name));
    expect(ofU.map(([, some]) => some.length)).toEqual(wanted ? [1] : []);
  }
});
