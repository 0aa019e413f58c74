/*M!999999\- enable the sandbox mode */ 
-- MariaDB dump 10.19  Distrib 10.11.19-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: wiki
-- ------------------------------------------------------
-- Server version	10.11.19-MariaDB-0+deb12u1

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40101 SET @OLD_CHARACTER_SET_RESULTS=@@CHARACTER_SET_RESULTS */;
/*!40101 SET @OLD_COLLATION_CONNECTION=@@COLLATION_CONNECTION */;
/*!40101 SET NAMES utf8mb4 */;
/*!40103 SET @OLD_TIME_ZONE=@@TIME_ZONE */;
/*!40103 SET TIME_ZONE='+00:00' */;
/*!40014 SET @OLD_UNIQUE_CHECKS=@@UNIQUE_CHECKS, UNIQUE_CHECKS=0 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;
/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;
/*!40111 SET @OLD_SQL_NOTES=@@SQL_NOTES, SQL_NOTES=0 */;

--
-- Table structure for table `user`
--

DROP TABLE IF EXISTS `user`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `user` (
  `user_id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `user_name` varbinary(255) NOT NULL DEFAULT '',
  `user_real_name` varbinary(255) NOT NULL DEFAULT '',
  `user_password` tinyblob NOT NULL,
  `user_newpassword` tinyblob NOT NULL,
  `user_newpass_time` binary(14) DEFAULT NULL,
  `user_email` tinyblob NOT NULL,
  `user_touched` binary(14) NOT NULL,
  `user_token` binary(32) NOT NULL DEFAULT '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0',
  `user_email_authenticated` binary(14) DEFAULT NULL,
  `user_email_token` binary(32) DEFAULT NULL,
  `user_email_token_expires` binary(14) DEFAULT NULL,
  `user_registration` binary(14) DEFAULT NULL,
  `user_editcount` int(10) unsigned DEFAULT NULL,
  `user_password_expires` varbinary(14) DEFAULT NULL,
  PRIMARY KEY (`user_id`),
  UNIQUE KEY `user_name` (`user_name`),
  KEY `user_email_token` (`user_email_token`),
  KEY `user_email` (`user_email`(50))
) ENGINE=InnoDB AUTO_INCREMENT=13 DEFAULT CHARSET=binary;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `user`
--

LOCK TABLES `user` WRITE;
/*!40000 ALTER TABLE `user` DISABLE KEYS */;
INSERT INTO `user` VALUES
(1,'Ada','',':pbkdf2:sha512:30000:64:AD0tD6P2vrhTWCcvK6nW3A==:HMCkfVaBtxsKjDlgFvt/pHUpApqIiAwV0m9qHF6WmnWQBq9I5/BYCh3fcS7oL90jrXvAgKilyJmqv/XLv7Fx0A==','',NULL,'Ada@example.com','20241123171029','1c5b8f0bb83478d85366b6278fb2d8ba','20241123171029',NULL,NULL,'20241123170920',0,NULL),
(2,'MediaWiki default','','','',NULL,'','20241123170921','*** INVALID ***\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0',NULL,NULL,NULL,'20241123170921',1,NULL),
(3,'Grace Hopper','Grace \"Amazing\" O\'Hopper \\',':pbkdf2:sha512:1000:64:nGSikkbC35oG17ibIHgtaQ==:XfNyq/C65wTq7gAKHrvd5tkyEVxgPkQq5nTiJUpC3fxQdi4PrrFujiUgvP0BDbf846lbhtXB7BZ9EJcbRTjBSQ==','',NULL,'grace.hopper@example.com','20241123171029','98d4e634ea4355fb70ccc63560791dd9','20241123171029',NULL,NULL,'20241123171028',0,NULL),
(4,'Zoë','Zoë Müller',':pbkdf2:sha512:1000:64:DBuz9qS8Dh0H1U11zihM4Q==:kbLnw2W7y3GY9/DtCMwoyNGY2rZbwWyia3WQfaK8OwPV9iDY/3iyk1XaJzAJn7NU+BBEMN9q2qL3ZKed4Elq/A==','',NULL,'zoe@example.com','20241123171030','54c88dc2a9a6e033c233691dbeb3a6bd',NULL,NULL,NULL,'20241123171029',0,NULL),
(5,'Emile','Émile',':pbkdf2:sha512:1000:64:YcRqS4jWv8AM/91JPT9xOA==:nryw12YTVdDjNs2pufbRkp7ixOFMJf2lWk5z8SkffLn17Z9w3VfEr3rhBBkqzyy5qP6vUWsF9Ym2wGc8LnqYQQ==','',NULL,'emile@example.com','20241123171030','09f21331983b8e6915a26a7b22f0aff1','20241123171029',NULL,NULL,'20241123171029',0,NULL),
(6,'Linus','',':pbkdf2:sha512:1000:64:0eTC8j/Drzh54uzd4xMHuQ==:cnfuvSyxUiO3xAbr8dBNkK42unSxXlJNKpuTo1/VVImHkJSvoeLat7q2tmGn/K0y+UEtrJRYIvfcdRimvgzYGQ==','',NULL,'linus@example.com','20241123171030','fedd4b86f262830c9f666fcaf59e153e','20241123171029',NULL,NULL,'20241123171029',0,NULL),
(7,'Hedy','Hedy Lamarr',':pbkdf2:sha512:1000:64:VWfHFTn8z6ygqD3PqxbJ3Q==:VQVe8+iO05Ak+gqOrT3xKn3JTfhxOck9wX9rfOgsJ7mx6T/y2TLnR87cs5SnfK3r3gY8S6hTeIBliTf9WPtL7g==','',NULL,'hedy@example.com','20241123171030','a74cde44354e973f1b3c86b38d65fd64','20241123171029',NULL,NULL,'20241123171029',0,NULL),
(8,'Nomail','',':pbkdf2:sha512:1000:64:2rFeIE7jRX81ogvUVB/brQ==:fiO0k4ckdQK89h+C3FyQhXWPe10DsjHiMJ9qBAyYisRkR854accCDQrI4D9D1lwRcz/kT0C/UoRqQLN9m40BBw==','',NULL,'','20241123171030','e707b2125e5264660917622cd05480b4',NULL,NULL,NULL,'20241123171029',0,NULL),
(9,'Nopass','','','',NULL,'nopass@example.com','20241123171030','9568b94a04984e93f73f4746b6372375','20241123171029',NULL,NULL,'20241123171029',0,NULL),
(10,'Maintenance script','','','',NULL,'','20241123171030','*** INVALID ***\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0',NULL,NULL,NULL,'20241123171030',0,NULL),
(11,'Katherine','',':bcrypt:4$vsDgdgy.JfQKC4zLTbZa3u$hcAvhTDXcoZTFwNHYbLeW9U6ODChzFG','',NULL,'katherine@example.com','20241123171100','5d0769cc6ec745cb5d5ee9f07b85b190',NULL,NULL,NULL,'20241123171059',0,NULL),
(12,'Bob','',':bcrypt:4$9tVtW7BxaFRsbZiOEs.e1.$DJPoIWnm8Bdbi06bHPbEd02VtaZkNHm','',NULL,'bob@example.com','20241123171100','845ccaedc71eeeb696481a5b03268a80',NULL,NULL,NULL,'20241123171059',0,NULL);
/*!40000 ALTER TABLE `user` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `ipblocks`
--

DROP TABLE IF EXISTS `ipblocks`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `ipblocks` (
  `ipb_id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `ipb_address` tinyblob NOT NULL,
  `ipb_user` int(10) unsigned NOT NULL DEFAULT 0,
  `ipb_by_actor` bigint(20) unsigned NOT NULL,
  `ipb_reason_id` bigint(20) unsigned NOT NULL,
  `ipb_timestamp` binary(14) NOT NULL,
  `ipb_auto` tinyint(1) NOT NULL DEFAULT 0,
  `ipb_anon_only` tinyint(1) NOT NULL DEFAULT 0,
  `ipb_create_account` tinyint(1) NOT NULL DEFAULT 1,
  `ipb_enable_autoblock` tinyint(1) NOT NULL DEFAULT 1,
  `ipb_expiry` varbinary(14) NOT NULL,
  `ipb_range_start` tinyblob NOT NULL,
  `ipb_range_end` tinyblob NOT NULL,
  `ipb_deleted` tinyint(1) NOT NULL DEFAULT 0,
  `ipb_block_email` tinyint(1) NOT NULL DEFAULT 0,
  `ipb_allow_usertalk` tinyint(1) NOT NULL DEFAULT 0,
  `ipb_parent_block_id` int(10) unsigned DEFAULT NULL,
  `ipb_sitewide` tinyint(1) NOT NULL DEFAULT 1,
  PRIMARY KEY (`ipb_id`),
  UNIQUE KEY `ipb_address_unique` (`ipb_address`(255),`ipb_user`,`ipb_auto`),
  KEY `ipb_user` (`ipb_user`),
  KEY `ipb_range` (`ipb_range_start`(8),`ipb_range_end`(8)),
  KEY `ipb_timestamp` (`ipb_timestamp`),
  KEY `ipb_expiry` (`ipb_expiry`),
  KEY `ipb_parent_block_id` (`ipb_parent_block_id`)
) ENGINE=InnoDB AUTO_INCREMENT=6 DEFAULT CHARSET=binary;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `ipblocks`
--

LOCK TABLES `ipblocks` WRITE;
/*!40000 ALTER TABLE `ipblocks` DISABLE KEYS */;
INSERT INTO `ipblocks` VALUES
(1,'Emile',5,1,2,'20241123171029',0,0,0,1,'infinity','','',0,0,1,NULL,1),
(2,'Hedy',7,1,3,'20241123171030',0,0,0,1,'infinity','','',0,0,1,NULL,0),
(3,'192.0.2.7',0,1,4,'20241123171030',0,0,0,0,'infinity','C0000207','C0000207',0,0,1,NULL,1),
(4,'Katherine',11,1,5,'20241123171059',0,0,0,1,'20990101000000','','',0,0,1,NULL,1),
(5,'Bob',12,1,5,'20241123171100',0,0,0,1,'20241123171101','','',0,0,1,NULL,1);
/*!40000 ALTER TABLE `ipblocks` ENABLE KEYS */;
UNLOCK TABLES;

--
-- Table structure for table `user_groups`
--

DROP TABLE IF EXISTS `user_groups`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
/*!40101 SET character_set_client = utf8mb4 */;
CREATE TABLE `user_groups` (
  `ug_user` int(10) unsigned NOT NULL DEFAULT 0,
  `ug_group` varbinary(255) NOT NULL DEFAULT '',
  `ug_expiry` varbinary(14) DEFAULT NULL,
  PRIMARY KEY (`ug_user`,`ug_group`),
  KEY `ug_group` (`ug_group`),
  KEY `ug_expiry` (`ug_expiry`)
) ENGINE=InnoDB DEFAULT CHARSET=binary;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `user_groups`
--

LOCK TABLES `user_groups` WRITE;
/*!40000 ALTER TABLE `user_groups` DISABLE KEYS */;
INSERT INTO `user_groups` VALUES
(1,'bureaucrat',NULL),
(1,'interface-admin',NULL),
(1,'sysop',NULL),
(7,'bot',NULL);
/*!40000 ALTER TABLE `user_groups` ENABLE KEYS */;
UNLOCK TABLES;
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;

/*!40101 SET SQL_MODE=@OLD_SQL_MODE */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;
/*!40014 SET UNIQUE_CHECKS=@OLD_UNIQUE_CHECKS */;
/*!40101 SET CHARACTER_SET_CLIENT=@OLD_CHARACTER_SET_CLIENT */;
/*!40101 SET CHARACTER_SET_RESULTS=@OLD_CHARACTER_SET_RESULTS */;
/*!40101 SET COLLATION_CONNECTION=@OLD_COLLATION_CONNECTION */;
/*!40111 SET SQL_NOTES=@OLD_SQL_NOTES */;

-- Dump completed on 2026-11-23 18:13:16
